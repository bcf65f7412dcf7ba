# SPDX-License-Identifier: Apache-2.0
"""A gRPC client of the controller in Python: message types made from proto/ at run time."""

import pathlib
import queue
import subprocess
import sys

import grpc
import google

from google.protobuf import json_format, symbol_database

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"


class Schema:
    """The messages and methods of roceready.v1."""

    def __init__(self, directory):
        out = directory / "python"
        out.mkdir(exist_ok=True)
        files = sorted(PROTO.glob("roceready/v1/*.proto")) + sorted(PROTO.glob("google/api/*.proto"))
        subprocess.run(["protoc", f"--proto_path={PROTO}", f"--python_out={out}", *map(str, files)],
                       check=True)
        sys.path.insert(0, str(out))
        google.__path__.append(str(out / "google"))
        from roceready.v1 import agent_link_pb2, fleet_pb2  # pylint: disable=import-error
        self.agent_link, self.fleet = agent_link_pb2, fleet_pb2

    def fleet_methods(self):
        return self.fleet.DESCRIPTOR.services_by_name["FleetService"].methods

    @staticmethod
    def message_type(descriptor):
        """The class of a method's request or answer, whichever file it is in."""
        return symbol_database.Default().GetSymbol(descriptor.full_name)


def credentials(pki, name=None, ca=None):
    """TLS of a client with the certificate `name` of a directory; None: without a certificate."""
    read = lambda file: pathlib.Path(file).read_bytes()
    return grpc.ssl_channel_credentials(
        read(ca or pki / "ca.crt"),
        read(pki / f"{name}.key") if name else None,
        read(pki / f"{name}.crt") if name else None)


def channel(port, tls, **options):
    return grpc.secure_channel(f"127.0.0.1:{port}", tls,
                               [("grpc.enable_http_proxy", 0), *options.items()])


def call(port, tls, method, request, response_type, patience=60):
    """One call of FleetService; a stream's answers as a list. RpcError carries what went wrong."""
    with channel(port, tls) as one:
        path = f"/{method.containing_service.full_name}/{method.name}"
        serialize = type(request).SerializeToString
        if method.name == "WatchAudit":
            stub = one.unary_stream(path, serialize, response_type.FromString)
            return list(stub(request, timeout=patience))
        return one.unary_unary(path, serialize, response_type.FromString)(request, timeout=patience)


def as_json(message):
    """As the REST API writes it: original names, fields without presence always there."""
    return json_format.MessageToDict(message, preserving_proto_field_name=True,
                                     including_default_value_fields=True)


class AgentStream:
    """A stream of the agent link that says what the test wants it to."""

    def __init__(self, schema, port, tls, serialize=None, **options):
        self.schema = schema
        self.channel = channel(port, tls, **options)
        self.outgoing = queue.Queue()
        connect = self.channel.stream_stream(
            "/roceready.v1.AgentLinkService/Connect",
            request_serializer=serialize or schema.agent_link.ConnectRequest.SerializeToString,
            response_deserializer=schema.agent_link.ConnectResponse.FromString)
        self.call = connect(iter(self.outgoing.get, None), timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.outgoing.put(None)
        self.call.cancel()
        self.channel.close()

    def send(self, message):
        self.outgoing.put(message)

    def hello(self, host, machine_id="0" * 32):
        request = self.schema.agent_link.ConnectRequest()
        request.hello.identity.host = host
        request.hello.identity.machine_id = machine_id
        request.hello.instance = b"test-instance-16"
        request.hello.software_version = "0.0-test"
        return request

    def receive(self):
        return next(self.call)

    def end(self):
        """Reads to the end: the last messages, the code and what was said."""
        messages = []
        try:
            for message in self.call:
                messages.append(message)
        except grpc.RpcError as error:
            return messages, error.code().name, error.details()
        return messages, self.call.code().name, self.call.details()
