"""Writing a change down in the transaction that makes it: both happen, or neither does."""

from collections.abc import Callable
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, event
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from backend.catalog.events import ProductChanged
from backend.events import subscribe
from backend.outbox.models import OutboxEvent

_WAKES = "outbox.wakes"
_wakers: WeakKeyDictionary[Engine | Connection, Callable[[], None]] = WeakKeyDictionary()


@subscribe(ProductChanged)
async def record(session: AsyncSession, changed: ProductChanged) -> None:
    """Put the change into the outbox, and have it looked at once the transaction is through."""
    await (
        session.flush()
    )  # first what was changed, with its locks: the outbox numbers the changes in their order
    session.add(OutboxEvent(product_id=changed.product_id))
    if _WAKES not in session.info:
        session.info[_WAKES] = True
        event.listen(session.sync_session, "after_commit", _wake)


def wake_on_commit(engine: Engine, wake: Callable[[], None] | None) -> None:
    """Call `wake` whenever this process commits changes of products to this database; None: no longer."""
    if wake is None:
        _wakers.pop(engine, None)
    else:
        _wakers[engine] = wake


def _wake(session: Session) -> None:
    if wake := _wakers.get(session.get_bind()):
        wake()
