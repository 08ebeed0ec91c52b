"""States of a return, and the allowed transitions.

    from       to                reason
    ---------  ----------------  ------------------------------------------------------------------
    (new)      requested         the customer requests it, or staff on the customer's behalf
    (new)      to_pay            its units were never sent, so none has to arrive
    requested  received          its units arrived, good or damaged
    requested  to_pay, denied    the shop decides without waiting for them
    received   to_pay, denied    the shop decides
    to_pay     paid              the owner has transferred the money

`move` is the only function that writes `Return.state`; its caller has locked the order.
"""

from enum import StrEnum

from backend.core.texts import _
from backend.core.transitions import Transitions
from backend.returns.models import Return


class ReturnState(StrEnum):
    """State of a return."""

    REQUESTED = "requested"
    RECEIVED = "received"
    TO_PAY = "to_pay"
    PAID = "paid"
    DENIED = "denied"


STATE_NAMES = {
    ReturnState.REQUESTED: _("Solicitada"),
    ReturnState.RECEIVED: _("Recibida"),
    ReturnState.TO_PAY: _("Por pagar"),
    ReturnState.PAID: _("Pagada"),
    ReturnState.DENIED: _("Negada"),
}
S = ReturnState
STEPS = Transitions(
    "return",
    {
        S.REQUESTED: frozenset({S.RECEIVED, S.TO_PAY, S.DENIED}),
        S.RECEIVED: frozenset({S.TO_PAY, S.DENIED}),
        S.TO_PAY: frozenset({S.PAID}),
    },
)
UNDECIDED = (S.REQUESTED, S.RECEIVED)
OPEN = (*UNDECIDED, S.TO_PAY)
"""States in which a customer waits for the shop."""
GRANTED = (S.TO_PAY, S.PAID)


def move(row: Return, state: ReturnState) -> None:
    """Move the return to this state.

    Raises:
        StepNotAllowed: the table does not allow this transition; the return is unchanged.
    """
    row.state = STEPS.require(ReturnState(row.state), state)
