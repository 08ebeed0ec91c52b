"""Routes of a small table over the Admin API, and of those that the Store API shows."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter

from backend.edge.dependencies import Db, Shown
from backend.edge.query import listed, read_query
from backend.edge.wire import Deleted, JsonDict, Page, Wire
from backend.plain_tables.models import PlainRow
from backend.plain_tables.schemas import RowChange, RowsParameters
from backend.plain_tables.service import Kind, change_row, create_row, delete_row, find_row, rows_asked_for
from backend.staff.dependencies import StaffMember


def serve(router: APIRouter, path: str, kind: Kind) -> None:
    """Give the router the five routes of this kind."""
    serve_reading(router, path, kind)
    many, one = kind.names
    about = many.replace("_", " ")

    async def create(actor: StaffMember, body: RowChange, database: Db, fields: Shown) -> Wire[JsonDict]:
        async with database.transaction() as session:
            return Wire({one: fields.pick(kind.wire(await create_row(session, actor, kind, body)))})

    async def change(
        actor: StaffMember, row_id: str, body: RowChange, database: Db, fields: Shown
    ) -> Wire[JsonDict]:
        async with database.transaction() as session:
            return Wire({one: fields.pick(kind.wire(await change_row(session, actor, kind, row_id, body)))})

    async def delete(actor: StaffMember, row_id: str, database: Db) -> Wire[Deleted]:
        async with database.transaction() as session:
            await delete_row(session, actor, kind, row_id)
        return Wire({"id": row_id, "object": one, "deleted": True})

    create.__annotations__["body"] = kind.new  # FastAPI reads the body's model from there
    change.__annotations__["body"] = kind.change
    of_one = f"{path}/{{row_id}}"
    router.post(path, description=f"One more of the {about}.")(create)
    router.post(of_one, description=f"Change one of the {about}.")(change)
    router.delete(of_one, description=f"Delete one of the {about}.")(delete)


def serve_reading(
    router: APIRouter, path: str, kind: Kind, wire: Callable[[PlainRow], JsonDict] | None = None
) -> None:
    """Give the router the two routes that show this kind, as `wire` does or as staff see them."""
    many, one = kind.names
    about, shown = many.replace("_", " "), wire or kind.wire

    async def list_rows(
        asked: Annotated[RowsParameters, read_query(kind.parameters)], database: Db
    ) -> Wire[Page]:
        async with database.read() as session:
            found, count = await rows_asked_for(session, kind, asked)
        return Wire(listed(many, map(shown, found), count, asked))

    async def read(row_id: str, database: Db, fields: Shown) -> Wire[JsonDict]:
        async with database.read() as session:
            return Wire({one: fields.pick(shown(await find_row(session, kind, row_id)))})

    router.get(path, description=f"The {about}.")(list_rows)
    router.get(f"{path}/{{row_id}}", description=f"One of the {about}.")(read)
