"""What goes wrong on demand at the embedded invoice provider, so that the shop can be seen to bear it."""

from enum import StrEnum


class Fault(StrEnum):
    """A way to fail."""

    SERVER_ERROR = "server_error"  # 500, nothing done
    BAD_GATEWAY = "bad_gateway"  # 502 with a page, as the proxy in front answers
    REJECT = "reject"  # 422 with a rule of the DIAN's, nothing made
    MALFORMED = "malformed"  # does what was asked, and answers what is not JSON
    DROP = "drop"  # does what was asked; the connection breaks in the middle of the answer


class Faults:
    """The faults that are planned, each for one request."""

    def __init__(self) -> None:
        self._planned: list[Fault] = []

    def plan(self, *faults: Fault) -> None:
        """Let the next requests that make something fail like this, one after the other."""
        self._planned.extend(faults)

    def take(self) -> Fault | None:
        """The fault for this request, if one is planned."""
        return self._planned.pop(0) if self._planned else None
