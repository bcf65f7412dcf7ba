# SPDX-License-Identifier: Apache-2.0
"""What gRPC itself has on the API's port: health for watchers, reflection for grpcurl and others.
Their messages are written and read as bytes here: Debian has no Python package of them."""

import queue

import expect
import rpc

FLEET = b"roceready.v1.FleetService"
SERVING, NOT_FOUND = b"\x08\x01", "NOT_FOUND"  # HealthCheckResponse{status: SERVING}
LIST_SERVICES = b"\x3a\x00"  # ServerReflectionRequest{list_services: ""}


def text_field(number, text):
    """A string field of a message, as bytes."""
    return bytes([number << 3 | 2, len(text)]) + text


def same(data):
    return data


def open_channel(cluster, client="guest"):
    return rpc.channel(cluster.api_port, rpc.credentials(cluster.pki, client))


def health(channel, service):
    check = channel.unary_unary("/grpc.health.v1.Health/Check", same, same)
    return check(text_field(1, service) if service else b"", timeout=60)


class Reflection:
    """A stream of questions, open until it is closed."""

    def __init__(self, channel):
        self.questions = queue.Queue()
        self.answers = channel.stream_stream(
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", same, same)(
                iter(self.questions.get, None), timeout=60)

    def ask(self, question):
        self.questions.put(question)
        return next(self.answers)

    def close(self):
        self.questions.put(None)
        self.answers.cancel()


def case_health_is_told(cluster):
    with open_channel(cluster) as channel:
        expect.equal(health(channel, b""), SERVING)
        expect.equal(health(channel, FLEET), SERVING)
        try:
            answer = health(channel, b"roceready.v1.NoSuchService")
        except rpc.grpc.RpcError as error:
            expect.equal(error.code().name, NOT_FOUND)
        else:
            raise AssertionError(f"a service that there is not answers {answer!r}")


def case_a_watcher_of_health_hears_at_once(cluster):
    with open_channel(cluster) as channel:
        watch = channel.unary_stream("/grpc.health.v1.Health/Watch", same, same)(b"", timeout=60)
        expect.equal(next(watch), SERVING)
        watch.cancel()


def case_reflection_tells_services_and_messages(cluster):
    with open_channel(cluster) as channel:
        reflection = Reflection(channel)
        expect.contains(reflection.ask(LIST_SERVICES), FLEET)
        # ServerReflectionRequest{file_containing_symbol}
        file = reflection.ask(text_field(4, b"roceready.v1.CreateAuditRequest"))
        expect.contains(file, b"roceready/v1/fleet.proto", b"job_environment")
        reflection.close()


def case_streams_that_stay_open_take_no_more_threads_than_allowed(cluster):
    refused = answered = 0
    with open_channel(cluster) as channel:
        streams = [Reflection(channel) for _ in range(64)]
        for stream in streams:
            try:
                expect.contains(stream.ask(LIST_SERVICES), FLEET)
                answered += 1
            except rpc.grpc.RpcError as error:
                expect.equal(error.code().name, "RESOURCE_EXHAUSTED")
                refused += 1
        assert answered > 0, "none was answered"
        assert refused > 32, f"{answered} threads are taken"
        expect.status(cluster.cli("hosts"), 0)
        expect.equal(health(channel, b""), SERVING)
        for stream in streams:
            stream.close()
