"""How far the label of a fulfillment is, and the steps between the states.

    nothing ──► creating ──► created ──► canceled
                    ├──► failed ──► creating (again)
                    ├──► unknown ──► created or failed, once a person has looked (`label_decisions.resolve_doubt`)
                    └──► too_expensive ──► failed, once a person has decided (`label_decisions.decide_price`)

`move` is the only function that writes `Fulfillment.state`.
"""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import locked
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
        StepNotAllowed: the table has no such step; nothing has changed.
    """
    fulfillment.state = STEPS.require(LabelState(fulfillment.state), state)


async def lock_fulfillment(
    session: AsyncSession, fulfillment_id: str, order_id: str | None = None
) -> Fulfillment:
    """The fulfillment, locked; with `order_id`, only if it is this order's. Lock the order first if both are needed.

    Raises:
        NotFound: there is none.
    """
    query = select(Fulfillment).where(Fulfillment.id == fulfillment_id)
    if order_id is not None:
        query = query.where(Fulfillment.order_id == order_id)
    return await get_or_404(session, locked(query), "Fulfillment", fulfillment_id)


def require_retryable(fulfillment: Fulfillment) -> None:
    """Only what certainly made no label may be asked for again.

    Raises:
        Conflict: it is being made, nobody knows whether it was, or it waits for a decision about its price.
        NotAllowed: it was cancelled.
    """
    label = f"label of fulfillment {fulfillment.reference}"
    match fulfillment.state:
        case L.FAILED:
            return
        case L.CANCELED:
            raise NotAllowed(f"The {label} was cancelled; use another reference")
        case L.UNKNOWN:
            raise Conflict(f"A {label} may have been made; look it up at the carrier")
        case L.TOO_EXPENSIVE:
            raise Conflict(f"The {label} is too expensive and waits in attention")
        case _:
            raise Conflict(f"The {label} is being made")
