"""States of a fulfillment's label, and the allowed transitions.

    nothing ──► creating ──► created ──► canceled
                    ├──► failed ──► creating (again)
                    ├──► unknown ──► created or failed, when staff have looked it up (`label_decisions.resolve_doubt`)
                    └──► too_expensive ──► failed, when staff have decided (`label_decisions.decide_price`)

`move` is the only function that writes `Fulfillment.state`.
"""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import lock_rows
from backend.core.db.tables import get_or_404
from backend.core.errors import Conflict, NotAllowed
from backend.core.transitions import Transitions
from backend.orders.models import Fulfillment
from backend.orders.states import LabelState

L = LabelState
STEPS = Transitions(
    "label",
    {
        L.CREATING: frozenset({L.CREATED, L.FAILED, L.UNKNOWN, L.TOO_EXPENSIVE}),
        L.FAILED: frozenset({L.CREATING}),
        L.UNKNOWN: frozenset({L.CREATED, L.FAILED}),
        L.TOO_EXPENSIVE: frozenset({L.FAILED}),
        L.CREATED: frozenset({L.CANCELED}),
    },
)


def move(fulfillment: Fulfillment, state: LabelState) -> None:
    """Change the state of the (locked) fulfillment's label.

    Raises:
        StepNotAllowed: the table does not allow this transition; nothing has changed.
    """
    fulfillment.state = STEPS.require(LabelState(fulfillment.state), state)


async def lock_fulfillment(
    session: AsyncSession, fulfillment_id: str, order_id: str | None = None
) -> Fulfillment:
    """Lock and return the fulfillment; with `order_id`, only if it belongs to this order.

    A caller that also locks the order must lock the order first.

    Raises:
        NotFound: there is no such fulfillment.
    """
    query = select(Fulfillment).where(Fulfillment.id == fulfillment_id)
    if order_id is not None:
        query = query.where(Fulfillment.order_id == order_id)
    return await get_or_404(session, lock_rows(query), "Fulfillment", fulfillment_id)


def require_retryable(fulfillment: Fulfillment) -> None:
    """Check that the label certainly does not exist, so that it may be requested again.

    Raises:
        Conflict: the label is being created, may exist, or waits for a decision about its price.
        NotAllowed: the label was cancelled.
    """
    label = f"label of fulfillment {fulfillment.reference}"
    match fulfillment.state:
        case L.FAILED:
            return
        case L.CANCELED:
            raise NotAllowed(f"The {label} was cancelled; use another reference")
        case L.UNKNOWN:
            raise Conflict(f"A {label} may exist; look it up at the carrier")
        case L.TOO_EXPENSIVE:
            raise Conflict(f"The {label} is too expensive and waits in attention")
        case _:
            raise Conflict(f"The {label} is being created")
