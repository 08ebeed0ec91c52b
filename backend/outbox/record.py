"""Writing a change down in the transaction that makes it: both happen, or neither does."""

from collections.abc import Callable
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, event, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from backend.catalog.events import ProductChanged
from backend.clock import now
from backend.events import subscribe
from backend.outbox.models import OutboxEvent

_CHANGED = "outbox.changed"
_wakers: WeakKeyDictionary[Engine | Connection, Callable[[], None]] = WeakKeyDictionary()


@subscribe(ProductChanged)
async def record(session: AsyncSession, changed: ProductChanged) -> None:
    """Have the change put into the outbox with the commit; a product that changes twice in it has changed once."""
    products = session.info.setdefault(_CHANGED, {})
    if not products:
        event.listen(session.sync_session, "before_commit", _write)
        event.listen(session.sync_session, "after_commit", _wake)
    products[changed.product_id] = True


def wake_on_commit(engine: Engine, wake: Callable[[], None] | None) -> None:
    """Call `wake` whenever this process commits changes of products to this database; None: no longer."""
    if wake is None:
        _wakers.pop(engine, None)
    else:
        _wakers[engine] = wake


def _write(session: Session) -> None:
    """The last act of the transaction. All its locks are held by now, so the outbox numbers changes in their order."""
    session.flush()
    moment = now()
    rows = [
        {"product_id": product_id, "recorded_at": moment, "due_at": moment, "attempts": 0}
        for product_id in session.info[_CHANGED]
    ]
    session.execute(insert(OutboxEvent), rows)


def _wake(session: Session) -> None:
    if wake := _wakers.get(session.get_bind()):
        wake()
