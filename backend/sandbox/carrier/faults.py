"""What goes wrong on demand, so that the shop can be seen to bear it."""

from dataclasses import dataclass
from enum import StrEnum

ALL_OPERATIONS = "*"


class Operation(StrEnum):
    """What the carrier can be asked."""

    QUOTATION = "quotation"
    SHIPMENT = "shipment"
    TRACK = "track"
    CANCELLATION = "cancellation"


class Fault(StrEnum):
    """A way to fail."""

    SLOW = "slow"  # answers well, but late
    HANG = "hang"  # never answers
    SERVER_ERROR = "server_error"  # 500 with the usual envelope, nothing done
    BAD_GATEWAY = "bad_gateway"  # 502 with a page, as the proxy in front answers
    UNAUTHORIZED = "unauthorized"  # 401, as for a wrong key
    NO_CREDIT = "no_credit"  # 422: the account has no money for a label
    MALFORMED = "malformed"  # 200, but not JSON
    DROP = "drop"  # does what was asked; the connection breaks in the middle of the answer
    NO_RATES = "no_rates"  # 200 without rates: no courier goes there
    NEGATIVE_RATES = "negative_rates"
    ABSURD_RATES = "absurd_rates"  # huge, NaN, text or missing numbers
    IGNORED = "ignored"  # a cancellation answers 200 with empty lists and cancels nothing


@dataclass(slots=True)
class Planned:
    """A fault that is planned. `times` is how often it still happens; None is always."""

    fault: Fault
    times: int | None = None
    seconds: float = 0.0


class Faults:
    """The faults that are planned, by operation."""

    def __init__(self) -> None:
        self._planned: dict[str, Planned] = {}

    def plan(
        self, fault: Fault, operation: str = ALL_OPERATIONS, *, times: int | None = None, seconds: float = 0.0
    ) -> None:
        """Let an operation fail so many times, or until `clear`. `seconds` is how late SLOW answers."""
        self._planned[operation] = Planned(fault, times, seconds)

    def clear(self) -> None:
        """Work properly again."""
        self._planned.clear()

    def take(self, operation: Operation) -> Planned | None:
        """The fault for this request, if one is planned."""
        name = operation if operation in self._planned else ALL_OPERATIONS
        planned = self._planned.get(name)
        if planned is not None and planned.times is not None:
            planned.times -= 1
            if planned.times <= 0:
                del self._planned[name]
        return planned

    def described(self) -> dict[str, dict[str, object]]:
        """What is planned, for a program to read."""
        return {
            operation: {"fault": planned.fault, "times": planned.times, "seconds": planned.seconds}
            for operation, planned in self._planned.items()
        }
