"""The dashboard's notification feed: finished product imports and exports, for the staff member who started them."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import db_now
from backend.edge.wire import JsonDict, stamps
from backend.exports.kinds import PLATFORM
from backend.exports.models import DataExport
from backend.imports.models import ImportStatus, ProductImport
from backend.mail.answers import NotificationOut
from backend.staff.rights import Actor

FEED = "feed"
TEMPLATE = "admin-ui"
PREFIX = "noti_"


async def list_feed_entries(session: AsyncSession, actor: Actor, base_url: str) -> list[NotificationOut]:
    """Return the actor's finished imports and exports, newest first. An entry exists as long as its import or export.

    Args:
        session: for reading.
        actor: the staff member who reads the feed.
        base_url: the shop's address.
    """
    exports = select(DataExport).where(
        DataExport.actor_id == actor.id,
        DataExport.kind == PLATFORM,
        DataExport.is_done,
        DataExport.expires_at > db_now(),
    )
    imports = select(ProductImport).where(
        ProductImport.actor_id == actor.id, ProductImport.status == ImportStatus.DONE
    )
    entries = [
        _entry_view(
            actor,
            one.id,
            one.updated_at,
            {
                "title": "Product export",
                "description": "Product export completed successfully!",
                "file": {
                    "filename": f"{one.since}-product-exports.csv",
                    "url": f"{base_url}/admin/exports/{one.id}",
                    "mimeType": "text/csv",
                },
            },
        )
        for one in (await session.execute(exports)).scalars()
    ]
    entries += [
        _entry_view(
            actor,
            one.id,
            one.updated_at,
            {
                "title": "Product import",
                "description": f"Product import of file {one.name} completed successfully!",
            },
        )
        for one in (await session.execute(imports)).scalars()
    ]
    return sorted(entries, key=lambda one: (one["created_at"], one["id"]), reverse=True)


def _entry_view(actor: Actor, of_id: str, done_at: datetime, data: JsonDict) -> NotificationOut:
    return {
        "id": f"{PREFIX}{of_id}",
        "to": "",
        "from": None,
        "channel": FEED,
        "template": TEMPLATE,
        "data": data,
        "content": None,
        "trigger_type": None,
        "resource_id": of_id,
        "resource_type": "product",
        "receiver_id": actor.id,
        "original_notification_id": None,
        "idempotency_key": of_id,
        "external_id": None,
        "provider_id": "local",
        "status": "success",
        **stamps(done_at, done_at),
        "deleted_at": None,
    }
