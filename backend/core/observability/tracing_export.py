"""Export of spans without error texts, which may contain personal data. Imported only if traces are on."""

from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Status

PATH = "/v1/traces"


class ErrorFreeExporter(SpanExporter):
    """An exporter that removes events and status descriptions from spans, because Reflex puts error texts there."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send the spans without their error texts."""
        return self._exporter.export([_strip_errors(span) for span in spans])

    def shutdown(self) -> None:
        """Shut the exporter down."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Send all waiting spans; return False if that fails or takes too long."""
        return self._exporter.force_flush(timeout_millis)


def _strip_errors(span: ReadableSpan) -> ReadableSpan:
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


def create_exporter(endpoint: str) -> SpanExporter:
    """Create an exporter that sends spans to a collector's OTLP address over HTTP."""
    return ErrorFreeExporter(OTLPSpanExporter(endpoint=endpoint.rstrip("/") + PATH))
