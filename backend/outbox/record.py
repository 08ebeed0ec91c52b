"""Writing a change down in the transaction that makes it: both happen, or neither does."""

from sqlalchemy import event, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from backend.catalog.events import ProductChanged
from backend.clock import now
from backend.events import subscribe
from backend.jobs.queue import enqueue_in
from backend.outbox.models import OutboxEvent

REVALIDATE = "storefront.revalidate"
"""The job that tells the storefront. There is one."""

_CHANGED = "outbox.changed"


@subscribe(ProductChanged)
async def record(session: AsyncSession, changed: ProductChanged) -> None:
    """Have the change put into the outbox with the commit; a product that changes twice in it has changed once."""
    products = session.info.setdefault(_CHANGED, {})
    if not products:
        event.listen(session.sync_session, "before_commit", _write)
    products[changed.product_id] = True


def _write(session: Session) -> None:
    """The last act of the transaction. All its locks are held by now, so the outbox numbers changes in their order."""
    session.flush()
    moment = now()
    rows = [{"product_id": product_id, "recorded_at": moment} for product_id in session.info[_CHANGED]]
    session.execute(insert(OutboxEvent), rows)
    enqueue_in(session, REVALIDATE, key="")
