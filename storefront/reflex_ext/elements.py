"""Parts of Reflex's own components that `rx` does not export."""

from reflex_components_core.base.error_boundary import ErrorBoundary  # type: ignore[import-untyped]
from reflex_components_core.core.banner import (  # type: ignore[import-untyped]
    has_too_many_connection_errors,
)
from reflex_components_core.el.elements.inline import A  # type: ignore[import-untyped]

__all__ = ["A", "ErrorBoundary", "has_too_many_connection_errors"]
