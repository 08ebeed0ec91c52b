"""Where a return stands, and the only ways between.

    from       to                because
    ---------  ----------------  ------------------------------------------------------------------
    (new)      requested         the buyer asks, or the shop for them
    (new)      to_pay            it was never sent: there is nothing to wait for
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
    """How far it is."""

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
"""In these somebody waits for the shop."""
GRANTED = (S.TO_PAY, S.PAID)


def move(row: Return, state: ReturnState) -> None:
    """Put the return into this state.

    Raises:
        StepNotAllowed: the table has no such step; the return is as it was.
    """
    row.state = STEPS.require(ReturnState(row.state), state)
