"""What happens when a handler fails in a way nobody expected: the log gets the traceback, the shopper a kind word."""

import logging

from reflex.event import EventSpec

from storefront.state.frame import FrameState

log = logging.getLogger(__name__)


def handle_failure(exception: Exception) -> EventSpec:
    """Reflex's `backend_exception_handler`."""
    log.error("an event handler failed", exc_info=exception)
    return FrameState.say_failure()  # type: ignore[call-arg, return-value]
