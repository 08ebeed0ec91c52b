"""Traces for OpenTelemetry, when OTEL_EXPORTER_OTLP_ENDPOINT names who collects them; without it nothing is imported.

A trace goes from a request, an event of a page or a job to the service, its statements and its calls of the gateway and
the carrier. Names and attributes are ours: no parameter of a statement, no address with a query, no header, no body,
and of an error only its class. Reflex's own trace points join in: `storefront.server.mount`.

The instrumentation that OpenTelemetry has for FastAPI, SQLAlchemy and httpx is not used: it sends whole addresses (the
gateway wants a key in the query) and knows no SQLAlchemy 2.1.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from sqlalchemy import Engine, event

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

P = ParamSpec("P")
R = TypeVar("R")

LONGEST_STATEMENT = 2_000
"""Characters."""
ENDS_WITHIN = 2.0
"""Seconds for the last spans to leave, when the shop closes."""
_STATEMENT = "trompo.span"
"""Key in a connection's `info`: the span of its statement."""


class _Tracing:
    """What traces this process; None while nothing does."""

    provider: "TracerProvider | None" = None
    tracer: "Tracer | None" = None


def can_trace() -> bool:
    """Whether the packages are installed: they are an extra, `requirements/traces.txt`."""
    return (
        find_spec("opentelemetry") is not None
        and find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    )


def start_tracing(endpoint: str) -> "TracerProvider":
    """Send spans to this endpoint (OTLP over HTTP) from now on. Its other settings are OpenTelemetry's own, `OTEL_…`.

    To be called in the process that serves: its thread does not outlive a fork.
    """
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from backend.core.observability.tracing_export import exporter_to

    provider = TracerProvider(
        resource=Resource.create({"service.name": "trompo"}),
        shutdown_on_exit=False,  # `stop_tracing` does it
    )
    provider.add_span_processor(BatchSpanProcessor(exporter_to(endpoint)))
    _Tracing.provider, _Tracing.tracer = provider, provider.get_tracer("trompo")
    return provider


async def stop_tracing() -> None:
    """Send what is left, for two seconds at most. Does nothing when nothing is traced."""
    provider = _Tracing.provider
    _Tracing.provider = _Tracing.tracer = None
    if provider is not None:
        ending = Thread(target=provider.shutdown, daemon=True)  # it keeps to no limit of time itself
        ending.start()
        await asyncio.to_thread(ending.join, ENDS_WITHIN)


@contextmanager
def span(
    name: str, kind: str = "internal", attributes: Mapping[str, str] | None = None
) -> "Iterator[Span | None]":
    """Trace what is done inside as one step; None when nothing is traced.

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
    """Decorator of a coroutine function: each call is a step of its caller's trace, by the function's name."""

    @wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with span(method.__qualname__):
            return await method(*args, **kwargs)

    return call


def trace_fields() -> dict[str, str]:
    """The id of the current trace, as a field for the log; none when nothing is traced."""
    if _Tracing.tracer is None:
        return {}
    from opentelemetry.trace import format_trace_id, get_current_span

    context = get_current_span().get_span_context()
    return {"trace_id": format_trace_id(context.trace_id)} if context.is_valid else {}


def trace_statements(engine: Engine) -> None:
    """Have every statement of this engine be a step of the trace in which it runs, with its text but no parameter."""

    @event.listens_for(engine, "before_cursor_execute")
    def _begin(connection: Any, _cursor: Any, statement: str, *_others: Any) -> None:
        if _Tracing.tracer is None:
            return
        from opentelemetry.trace import SpanKind, get_current_span

        if not get_current_span().is_recording():  # the worker's looks for jobs are no trace of their own
            return
        operation = statement.split(maxsplit=1)[0].upper()
        connection.info[_STATEMENT] = _Tracing.tracer.start_span(
            operation,
            kind=SpanKind.CLIENT,
            attributes={
                "db.system.name": engine.dialect.name,
                "db.operation.name": operation,
                "db.query.text": statement[:LONGEST_STATEMENT],
            },
        )

    @event.listens_for(engine, "after_cursor_execute")
    def _end(connection: Any, *_others: Any) -> None:
        if (opened := connection.info.pop(_STATEMENT, None)) is not None:
            opened.end()

    @event.listens_for(engine, "handle_error")
    def _fail(context: Any) -> None:
        opened = context.connection.info.pop(_STATEMENT, None) if context.connection is not None else None
        if opened is not None:
            opened.set_attribute("error.type", type(context.original_exception).__name__)
            opened.end()
