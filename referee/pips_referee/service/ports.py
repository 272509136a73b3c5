"""The addresses where a referee listens: Unix sockets, loopback, or TLS."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from stat import S_IMODE
from typing import Any, Final, NamedTuple

import grpc
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2_grpc
from grpc_health.v1.health import aio as health_aio

from pips.v1 import referee_pb2
from pips_referee.command.address import is_loopback

_SERVICE: Final = referee_pb2.DESCRIPTOR.services_by_name["RefereeService"]
SERVICE: Final = _SERVICE.full_name
MOST_CONNECTIONS: Final = 1024
OTHER_CALLS: Final = 512
"""The most calls at once besides the bots' streams.

They are calls without a hello, calls being refused, and health checks.
"""
DOOR_CONNECTIONS: Final = 8
DOOR_CALLS: Final = 8
"""The most connections, and calls, of one bot process at once.

It needs one, and a second while it reconnects.
"""
UNIX: Final = "unix:"

ServerOptions = list[tuple[str, int]]
_OPTIONS: Final[ServerOptions] = [("grpc.so_reuseport", 0)]
_BOTS_OPTIONS: Final[ServerOptions] = [("grpc.max_concurrent_streams", 4)]
_TCP_OPTIONS: Final[ServerOptions] = [  # a closed Unix socket is noticed at once, and its process may be stopped
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.max_connection_idle_ms", 10_000),
    ("grpc.server_handshake_timeout_ms", 5_000),
]
_DOOR_OPTIONS: Final[ServerOptions] = [
    ("grpc.max_allowed_incoming_connections", DOOR_CONNECTIONS),
    ("grpc.server_handshake_timeout_ms", 5_000),
]


class Tls(NamedTuple):
    """A server's certificate chain and private key, in PEM."""

    certificate: bytes
    key: bytes


def bots_problem(address: str, *, has_tls: bool) -> str:
    """Why bots may not connect to this address; "" if they may."""
    if address.startswith(UNIX) or has_tls or is_loopback(address.rpartition(":")[0]):
        return ""
    return (
        f"{address}: without TLS a referee listens on unix:PATH or a loopback address only, for whoever can read the "
        "bots' tokens plays in their place; give it --tls-cert and --tls-key"
    )


def organiser_problem(address: str) -> str:
    """Why the organiser may not connect to this address; "" if it may."""
    if not address.startswith(UNIX):
        return f"{address}: whoever dials the organiser's address runs the night, so it is unix:PATH"
    folder = Path(address.removeprefix(UNIX)).absolute().parent
    try:
        mode = S_IMODE(folder.stat().st_mode)
    except OSError as error:
        return f"{folder}: {error.strerror}"
    if mode & 0o077:
        return f"{folder}: others can enter it (mode {mode:o}), and with it the organiser's socket; chmod 700 it"
    return ""


def handler_of(service: object, name: str) -> Any:
    """The RPC handler of a method, as the contract declares it."""
    method: Any = _SERVICE.methods_by_name[name]
    ends = ("stream" if many else "unary" for many in (method.client_streaming, method.server_streaming))
    make = getattr(grpc, f"{'_'.join(ends)}_rpc_method_handler")
    asked, said = map(GetMessageClass, (method.input_type, method.output_type))
    return make(getattr(service, name), asked.FromString, said.SerializeToString)


def new_server(
    address: str,
    handlers: dict[str, Any],
    most_bytes: int,
    most_calls: int | None = None,
    tls: Tls | None = None,
    interceptors: Sequence[grpc.aio.ServerInterceptor] = (),
    *,
    is_door: bool = False,
) -> grpc.aio.Server:
    """A server with these methods and health checks.

    `most_bytes` limits a message; -1 means no limit. A door is for one process. Only
    with `most_calls` are the streams of a connection limited: calls beyond that limit
    are refused until the client has read it.
    """
    options = [("grpc.max_receive_message_length", most_bytes), *_OPTIONS]
    options += [] if most_calls is None else _BOTS_OPTIONS
    is_unix = address.startswith(UNIX)
    options += (_DOOR_OPTIONS if is_door else []) if is_unix else _TCP_OPTIONS
    server = grpc.aio.server(options=options, maximum_concurrent_rpcs=most_calls, interceptors=interceptors)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    health_pb2_grpc.add_HealthServicer_to_server(health_aio.HealthServicer(), server)
    if tls is None or is_unix:
        server.add_insecure_port(address)
    else:
        server.add_secure_port(address, grpc.ssl_server_credentials([(tls.key, tls.certificate)]))
    return server
