"""How spans leave: without the texts of errors, which may name people. Imported only where traces are collected."""

from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Status

PATH = "/v1/traces"


class WithoutErrors(SpanExporter):
    """Hands spans on without their events and the description of their status: Reflex puts errors' texts there."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send the spans."""
        return self._exporter.export([_without_errors(span) for span in spans])

    def shutdown(self) -> None:
        """End."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Send what waits."""
        return self._exporter.force_flush(timeout_millis)


def _without_errors(span: ReadableSpan) -> ReadableSpan:
    return ReadableSpan(
        span.name,
        span.context,
        span.parent,
        span.resource,
        span.attributes,
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def exporter_to(endpoint: str) -> SpanExporter:
    """What sends spans to a collector's OTLP address over HTTP."""
    return WithoutErrors(OTLPSpanExporter(endpoint=endpoint.rstrip("/") + PATH))
