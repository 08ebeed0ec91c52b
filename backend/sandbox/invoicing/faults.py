"""Planned faults of the embedded invoice provider, to test how the shop handles them."""

from enum import StrEnum


class Fault(StrEnum):
    """A kind of failure of the invoice provider."""

    SERVER_ERROR = "server_error"  # 500; nothing is created
    BAD_GATEWAY = "bad_gateway"  # 502 with a page, like the provider's proxy
    REJECT = "reject"  # 422 with a rule of the DIAN; nothing is created
    MALFORMED = "malformed"  # creates the document, and the response is not JSON
    DROP = "drop"  # creates the document; the connection breaks in the middle of the response


class Faults:
    """The planned faults, each for one request."""

    def __init__(self) -> None:
        self._planned: list[Fault] = []

    def plan(self, *faults: Fault) -> None:
        """Make the next invoices or credit notes fail: the first one with the first fault, and so on."""
        self._planned.extend(faults)

    def take(self) -> Fault | None:
        """Remove and return the first planned fault; None if there is none."""
        return self._planned.pop(0) if self._planned else None
