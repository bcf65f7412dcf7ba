# SPDX-License-Identifier: Apache-2.0
"""Garbage, floods and silence: whoever sends them is cut off, the agents' streams stay, and the
controller's memory comes back."""

import os
import socket
import ssl

import expect
import rpc
from process import wait_for

# A message that is refused has been held as a whole first; the controller gives freed memory back.
MEMORY_KEPT_KIB = 48 * 1024
HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def tls_socket(cluster, port, name="host2"):
    """A TLS connection to the controller as an agent with a certificate, for HTTP/2."""
    context = ssl.create_default_context(cafile=cluster.pki / "ca.crt")
    context.load_cert_chain(cluster.pki / f"{name}.crt", cluster.pki / f"{name}.key")
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=60),
                               server_hostname="127.0.0.1")


def closed_by_peer(connection):
    """Reads until the other end closes; whether it did."""
    try:
        while connection.recv(65536):
            pass
        return True
    except (ConnectionError, ssl.SSLError):
        return True
    except TimeoutError:
        return False


def send_all(connection, data):
    try:
        connection.sendall(data)
    except OSError:
        pass  # cut off while sending


class Undisturbed:
    """Within it, whatever happens: the same streams before and after, and an audit works."""

    def __init__(self, cluster):
        self.cluster = cluster

    def __enter__(self):
        self.sessions = self.cluster.sessions()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            expect.equal(self.cluster.sessions(), self.sessions, "streams of other agents")
            said = self.cluster.cli("audit", "--hosts", "host[1-3]", "--no-probes")
            expect.status(said, 0)


def case_garbage_bytes_on_every_port(cluster):
    with Undisturbed(cluster):
        for port in (cluster.agent_port, cluster.api_port, cluster.rest_port):
            for garbage in (os.urandom(64 * 1024), b"\x00" * 4096, b"GET / HTTP/1.1\r\n\r\n",
                            b"\x16\x03\x01\xff\xff" + os.urandom(70000), HTTP2_PREFACE):
                with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                    send_all(connection, garbage)
                    assert closed_by_peer(connection), f"port {port} keeps {garbage[:20]}..."


def case_garbage_http2_inside_tls(cluster):
    with Undisturbed(cluster):
        for port in (cluster.agent_port, cluster.api_port):
            for garbage in (os.urandom(64 * 1024), b"GET /v1/hosts HTTP/1.1\r\n\r\n" * 100,
                            # A DATA frame of a stream that was never opened.
                            HTTP2_PREFACE + bytes(9) + b"\x00\x00\x05\x00\x01\x00\x00\x00\x07hello",
                            # A frame of 16 MiB, above what was agreed on.
                            HTTP2_PREFACE + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
                            + b"\xff\xff\xff\x00\x00\x00\x00\x00\x01" + os.urandom(65536)):
                with tls_socket(cluster, port) as connection:
                    send_all(connection, garbage)
                    assert closed_by_peer(connection), f"port {port} keeps {garbage[:40]}..."


def case_a_stream_of_garbage_messages(cluster):
    with Undisturbed(cluster):
        for garbage in (b"\xff" * 1000, b"\x0a\xff\xff\xff\xff\x0f", os.urandom(10000) + b"\xff"):
            with rpc.AgentStream(cluster.schema, cluster.agent_port,
                                 rpc.credentials(cluster.pki, "host2"),
                                 serialize=lambda data: data) as stream:
                stream.send(garbage)
                _, code, _ = stream.end()
                assert code in ("INTERNAL", "UNAVAILABLE", "INVALID_ARGUMENT"), code


def case_messages_that_make_no_sense_are_told_so(cluster):
    pb = cluster.schema.agent_link
    cluster.make("host", "hostile")

    def stream():
        return rpc.AgentStream(cluster.schema, cluster.agent_port,
                               rpc.credentials(cluster.pki, "hostile"))

    with Undisturbed(cluster):
        with stream() as one:
            one.send(pb.ConnectRequest(pong=pb.Pong(nonce=1)))
            expect.equal(one.end()[1:],
                         ("INVALID_ARGUMENT", "the first message of a stream must be Hello"))
        with stream() as one:
            one.send(one.hello("hostile"))
            one.send(one.hello("hostile"))
            expect.equal(one.end()[1:], ("INVALID_ARGUMENT", "a second Hello on one stream"))
        with stream() as one:
            one.send(one.hello("-evil name-\n"))
            expect.equal(one.end()[1], "INVALID_ARGUMENT")
        with stream() as one:
            one.send(one.hello("hostile"))
            for _ in range(200):
                one.send(pb.ConnectRequest())
            _, code, said = one.end()
            expect.equal(code, "INVALID_ARGUMENT")
            expect.contains(said, "messages of an unknown kind")
        # Facts that are not what their digest says: asked for again, and given up in the end.
        with stream() as one:
            one.send(one.hello("hostile"))
            for _ in range(20):
                chunk = pb.FactsChunk(instance=b"test-instance-16", generation=1, last=True,
                                      digest=b"\x00" * 32)
                chunk.parts.add(key="kernel", digest=b"\x01" * 32, part=b"\xff\xff\xff")
                one.send(pb.ConnectRequest(facts_chunk=chunk))
            _, code, said = one.end()
            assert code in ("INVALID_ARGUMENT", "DATA_LOSS"), (code, said)
            assert said, "no reason"
        row = wait_for("the host is gone", lambda: missing_row(cluster, "hostile"))
        expect.contains(row["state_reason"], said)


def missing_row(cluster, host):
    row = cluster.hosts()[host]
    return row if row["state"] == "HOST_STATE_MISSING" else None


def case_messages_of_100_megabytes(cluster):
    before = cluster.controller.resident_kib()
    with Undisturbed(cluster):
        for _ in range(3):
            with rpc.AgentStream(cluster.schema, cluster.agent_port,
                                 rpc.credentials(cluster.pki, "host2"),
                                 serialize=lambda data: data) as stream:
                stream.send(bytes(100 * 1000 * 1000))
                _, code, said = stream.end()
            assert code in ("RESOURCE_EXHAUSTED", "UNAVAILABLE"), (code, said)
            with rpc.channel(cluster.api_port, rpc.credentials(cluster.pki, "sre")) as one:
                stub = one.unary_unary("/roceready.v1.FleetService/CreateAudit")
                try:
                    stub(bytes(100 * 1000 * 1000), timeout=60)
                    raise AssertionError("100 MB were taken")
                except rpc.grpc.RpcError as error:
                    assert error.code().name in ("RESOURCE_EXHAUSTED", "UNAVAILABLE"), error
    after = wait_for("the memory comes back", lambda: came_back(cluster, before))
    print(f"service:    resident before {before} KiB, after {after} KiB")


def came_back(cluster, before):
    now = cluster.controller.resident_kib()
    return now if now < before + MEMORY_KEPT_KIB else None


def case_connections_that_say_nothing(cluster):
    before = cluster.controller.resident_kib()
    silent = []
    try:
        with Undisturbed(cluster):
            for port in (cluster.agent_port, cluster.api_port, cluster.rest_port):
                silent += [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
            for port in (cluster.agent_port, cluster.api_port):
                # Half an HTTP/2 frame, then nothing.
                for _ in range(10):
                    connection = tls_socket(cluster, port)
                    connection.sendall(HTTP2_PREFACE + b"\x00\x00")
                    silent.append(connection)
            # Streams that never say Hello, and one that hears and never speaks again.
            streams = [rpc.AgentStream(cluster.schema, cluster.agent_port,
                                       rpc.credentials(cluster.pki, "host2")) for _ in range(5)]
            for stream in streams:
                _, code, said = stream.end()
                expect.equal((code, said), ("DEADLINE_EXCEEDED", "no Hello within 10 s"))
                stream.__exit__()
    finally:
        for connection in silent:
            connection.close()
    wait_for("the memory comes back", lambda: came_back(cluster, before))
