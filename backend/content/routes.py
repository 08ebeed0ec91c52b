"""Admin API of the shop's content. The platform has no such route."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from typing_extensions import TypedDict

from backend.content.areas import Area, parse_body, to_stored_json
from backend.content.versions import (
    SavedContent,
    list_content_versions,
    read_content,
    read_current_version,
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
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

MAX_VERSION = 2**31 - 1
VersionNumber = Annotated[int, Field(ge=0, le=MAX_VERSION)]

router = APIRouter(
    prefix="/admin/content",
    route_class=WireRoute,
    tags=["admin: content"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_SETTINGS),
)
CHANGE_RIGHT = require_staff_right(Right.CHANGE_CONTENT)
"""The right is checked before the body is parsed."""


class ContentChange(Body):
    """The new content of an area, and the version that its author saw."""

    model_config = example(
        version=0, body={"text": "Envío gratis esta semana", "link": "/catalog", "ends": "2030-12-24"}
    )

    version: VersionNumber = Field(
        description="The current version when its author read the area; 409 if there is a newer one."
    )
    body: JsonObject


class ContentRestore(Body):
    """The version to restore, and the current version that the author saw."""

    model_config = example(version=0, seen=1)

    version: VersionNumber
    seen: VersionNumber


class ContentView(TypedDict):
    """A version of an area. Version 0 is the shop's default content."""

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
    """List the current content of each area."""
    async with database.read() as session:
        return Wire({"content": [_content_view(await read_current_version(session, area)) for area in Area]})


@router.get("/{area}")
async def read_area(area: str, database: Db) -> Wire[ContentAnswer]:
    """Return the current content of an area: `banner`, `announcement`, `home`, `footer`, `brand` or `mail_…`."""
    async with database.read() as session:
        return Wire({"content": _content_view(await read_current_version(session, _parse_area(area)))})


@router.post("/{area}", dependencies=CHANGE_RIGHT)
async def save_area(actor: StaffMember, area: str, body: ContentChange, database: Db) -> Wire[ContentAnswer]:
    """Save the content of an area as a new version. Open pages show it at once."""
    named = _parse_area(area)
    content = parse_body(named, body.body)
    async with database.transaction() as session:
        saved = await save_content(session, actor, named, content, seen=body.version)
    return Wire({"content": _content_view(saved)})


@router.get("/{area}/versions")
async def list_versions(area: str, database: Db) -> Wire[ContentListAnswer]:
    """List all versions of the area, newest first."""
    async with database.read() as session:
        return Wire(
            {
                "content": [
                    _content_view(one) for one in await list_content_versions(session, _parse_area(area))
                ]
            }
        )


@router.get("/{area}/versions/{version}")
async def read_version(area: str, version: VersionNumber, database: Db) -> Wire[ContentAnswer]:
    """Return one version of the area."""
    async with database.read() as session:
        return Wire({"content": _content_view(await read_content(session, _parse_area(area), version))})


@router.post("/{area}/restore", dependencies=CHANGE_RIGHT)
async def restore_area(
    actor: StaffMember, area: str, body: ContentRestore, database: Db
) -> Wire[ContentAnswer]:
    """Restore an earlier version as a new version."""
    async with database.transaction() as session:
        saved = await restore_content(session, actor, _parse_area(area), body.version, seen=body.seen)
    return Wire({"content": _content_view(saved)})


def _parse_area(name: str) -> Area:
    try:
        return Area(name)
    except ValueError:
        raise NotFound(f"There is no content {name}") from None


def _content_view(saved: SavedContent) -> ContentView:
    return {
        "area": saved.area,
        "version": saved.version,
        "body": to_stored_json(saved.body),
        "saved_at": saved.saved_at,
        "saved_by": saved.saved_by,
    }
