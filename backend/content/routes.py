"""The shop's content over the Admin API. Ours, the platform has nothing of it."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from typing_extensions import TypedDict

from backend.content.areas import Area, as_stored, read_body
from backend.content.versions import (
    SavedContent,
    content_versions,
    current_content,
    read_content,
    restore_content,
    save_content,
)
from backend.core.db.tables import JsonObject
from backend.core.errors import NotFound
from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, example
from backend.edge.wire import Wire
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

MOST_VERSION = 2**31 - 1
Number = Annotated[int, Field(ge=0, le=MOST_VERSION)]

router = APIRouter(
    prefix="/admin/content",
    route_class=WireRoute,
    tags=["admin: content"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_SETTINGS),
)
CHANGES = staff_who_may(Right.CHANGE_CONTENT)
"""Whoever may not is told so before anything that they sent is read."""


class ContentChange(Body):
    """What an area is to say, and the version that its author saw."""

    model_config = example(
        version=0, body={"text": "Envío gratis esta semana", "link": "/catalog", "ends": "2030-12-24"}
    )

    version: Number = Field(
        description="That in force when its author looked; 409 if there is another by now."
    )
    body: JsonObject


class ContentRestore(Body):
    """Which version is to be in force again, and the one that is now."""

    model_config = example(version=0, seen=1)

    version: Number
    seen: Number


class ContentView(TypedDict):
    """A version of an area. Version 0 is what the shop shows by itself."""

    area: str
    version: int
    body: JsonObject
    saved_at: datetime | None
    saved_by: str | None


class ContentAnswer(TypedDict):
    """A version of an area."""

    content: ContentView


class ContentListAnswer(TypedDict):
    """Versions of areas."""

    content: list[ContentView]


@router.get("")
async def list_content(database: Db) -> Wire[ContentListAnswer]:
    """What is in force in each area."""
    async with database.read() as session:
        return Wire({"content": [_wire(await current_content(session, area)) for area in Area]})


@router.get("/{area}")
async def read_area(area: str, database: Db) -> Wire[ContentAnswer]:
    """What is in force in the area: `banner`, `announcement`, `home`, `footer`, or a mail such as `mail_order_paid`."""
    async with database.read() as session:
        return Wire({"content": _wire(await current_content(session, _area(area)))})


@router.post("/{area}", dependencies=CHANGES)
async def save_area(actor: StaffMember, area: str, body: ContentChange, database: Db) -> Wire[ContentAnswer]:
    """Let the area say this from now on, as a new version. It is on open pages at once."""
    named = _area(area)
    content = read_body(named, body.body)
    async with database.transaction() as session:
        saved = await save_content(session, actor, named, content, seen=body.version)
    return Wire({"content": _wire(saved)})


@router.get("/{area}/versions")
async def list_versions(area: str, database: Db) -> Wire[ContentListAnswer]:
    """Every version of the area, the newest first."""
    async with database.read() as session:
        return Wire({"content": [_wire(one) for one in await content_versions(session, _area(area))]})


@router.get("/{area}/versions/{version}")
async def read_version(area: str, version: Number, database: Db) -> Wire[ContentAnswer]:
    """One version of the area."""
    async with database.read() as session:
        return Wire({"content": _wire(await read_content(session, _area(area), version))})


@router.post("/{area}/restore", dependencies=CHANGES)
async def restore_area(
    actor: StaffMember, area: str, body: ContentRestore, database: Db
) -> Wire[ContentAnswer]:
    """Put what an earlier version said into force again, as a new version."""
    async with database.transaction() as session:
        saved = await restore_content(session, actor, _area(area), body.version, seen=body.seen)
    return Wire({"content": _wire(saved)})


def _area(name: str) -> Area:
    try:
        return Area(name)
    except ValueError:
        raise NotFound(f"There is no content {name}") from None


def _wire(saved: SavedContent) -> ContentView:
    return {
        "area": saved.area,
        "version": saved.version,
        "body": as_stored(saved.body),
        "saved_at": saved.saved_at,
        "saved_by": saved.saved_by,
    }
