"""OpenTelemetry traces, if OTEL_EXPORTER_OTLP_ENDPOINT names a collector; otherwise nothing is imported.

A trace covers a request, an event of a page or a job, with its services, statements, and calls of the gateway and
the carrier. Only our own names and attributes are sent: no parameter of a statement, no URL with a query, no
header, no body, and of an error only its class. Reflex's own spans are part of the same trace:
`storefront.server.mount`.

OpenTelemetry's instrumentation for FastAPI, SQLAlchemy and httpx is not used: it sends complete URLs (the gateway
requires a key in the query) and does not support SQLAlchemy 2.1.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import ExceptionContext

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

P = ParamSpec("P")
R = TypeVar("R")

MAX_STATEMENT_LENGTH = 2_000
"""Maximum number of characters of a statement in a span."""
SHUTDOWN_TIMEOUT_S = 2.0
"""Seconds for sending the remaining spans when the shop closes."""
_STATEMENT = "trompo.span"
"""Key in a connection's `info` for the span of its statement."""


class _Tracing:
    """The tracer of this process and its provider. Both are None while traces are off."""

    provider: "TracerProvider | None" = None
    tracer: "Tracer | None" = None


def can_trace() -> bool:
    """Return True if OpenTelemetry is installed; it is optional (`requirements/traces.txt`)."""
    return (
        find_spec("opentelemetry") is not None
        and find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    )


def start_tracing(endpoint: str) -> "TracerProvider":
    """Send spans to this endpoint (OTLP over HTTP) from now on. OpenTelemetry reads further settings from `OTEL_…`.

    Call it in the serving process, because its thread does not survive a fork.
    """
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from backend.core.observability.tracing_export import create_exporter

    provider = TracerProvider(
        resource=Resource.create({"service.name": "trompo"}),
        shutdown_on_exit=False,  # `stop_tracing` does it
    )
    provider.add_span_processor(BatchSpanProcessor(create_exporter(endpoint)))
    _Tracing.provider, _Tracing.tracer = provider, provider.get_tracer("trompo")
    for name, listener in _STATEMENT_LISTENERS:
        event.listen(Engine, name, listener)
    return provider


async def stop_tracing() -> None:
    """Send the remaining spans, for two seconds at most. Do nothing if traces are off."""
    provider = _Tracing.provider
    _Tracing.provider = _Tracing.tracer = None
    if provider is not None:
        for name, listener in _STATEMENT_LISTENERS:
            event.remove(Engine, name, listener)
        ending = Thread(target=provider.shutdown, daemon=True)  # it has no time limit itself
        ending.start()
        await asyncio.to_thread(ending.join, SHUTDOWN_TIMEOUT_S)


@contextmanager
def span(
    name: str, kind: str = "internal", attributes: Mapping[str, str] | None = None
) -> "Iterator[Span | None]":
    """Trace the block as one span; yield None if traces are off.

    `kind` is `server`, `client`, `consumer` or `internal`.
    """
    if _Tracing.tracer is None:
        yield None
        return
    from opentelemetry.trace import SpanKind, Status, StatusCode

    with _Tracing.tracer.start_as_current_span(
        name,
        kind=SpanKind[kind.upper()],
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as opened:
        try:
            yield opened
        except Exception as error:
            opened.set_attribute("error.type", type(error).__name__)
            opened.set_status(Status(StatusCode.ERROR))
            raise


def traced(method: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, Coroutine[Any, Any, R]]:
    """Decorate a coroutine function so that each call is a span, named after the function."""

    @wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with span(method.__qualname__):
            return await method(*args, **kwargs)

    return call


def trace_fields() -> dict[str, str]:
    """Return the id of the current trace as a log field; empty if traces are off."""
    if _Tracing.tracer is None:
        return {}
    from opentelemetry.trace import format_trace_id, get_current_span

    context = get_current_span().get_span_context()
    return {"trace_id": format_trace_id(context.trace_id)} if context.is_valid else {}


def _begin_statement(connection: Connection, _cursor: Any, statement: str, *_others: Any) -> None:
    """Open a span for the statement, with its text and without its parameters."""
    if _Tracing.tracer is None:
        return
    from opentelemetry.trace import SpanKind, get_current_span

    if not get_current_span().is_recording():  # the worker's polling must not create traces
        return
    operation = statement.split(maxsplit=1)[0].upper()
    connection.info[_STATEMENT] = _Tracing.tracer.start_span(
        operation,
        kind=SpanKind.CLIENT,
        attributes={
            "db.system.name": connection.dialect.name,
            "db.operation.name": operation,
            "db.query.text": statement[:MAX_STATEMENT_LENGTH],
        },
    )


def _end_statement(connection: Connection, *_others: Any) -> None:
    if (opened := connection.info.pop(_STATEMENT, None)) is not None:
        opened.end()


def _fail_statement(context: ExceptionContext) -> None:
    opened = context.connection.info.pop(_STATEMENT, None) if context.connection is not None else None
    if opened is not None:
        opened.set_attribute("error.type", type(context.original_exception).__name__)
        opened.end()


_STATEMENT_LISTENERS: Sequence[tuple[str, Callable[..., None]]] = (
    ("before_cursor_execute", _begin_statement),
    ("after_cursor_execute", _end_statement),
    ("handle_error", _fail_statement),
)
"""Listeners of all engines while statements are traced. Without traces there are none, because each costs time."""
