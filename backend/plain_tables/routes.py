"""Routes of small tables: those of the Admin API, and read routes that the Store API can use too."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter

from backend.edge.dependencies import Db, RequestedFields
from backend.edge.query import list_response, read_query
from backend.edge.wire import Deleted, JsonDict, Page, Wire
from backend.plain_tables.models import PlainRow
from backend.plain_tables.schemas import RowChange, RowsParameters
from backend.plain_tables.service import PlainTable, change_row, create_row, delete_row, find_row, find_rows
from backend.staff.dependencies import StaffMember


def add_table_routes(router: APIRouter, path: str, plain_table: PlainTable) -> None:
    """Add the routes that list, read, create, change and delete rows of this table to the router."""
    add_read_routes(router, path, plain_table)
    plural, singular = plain_table.names
    about = plural.replace("_", " ")

    async def create(
        actor: StaffMember, body: RowChange, database: Db, fields: RequestedFields
    ) -> Wire[JsonDict]:
        async with database.transaction() as session:
            return Wire(
                {
                    singular: fields.pick(
                        plain_table.to_wire(await create_row(session, actor, plain_table, body))
                    )
                }
            )

    async def change(
        actor: StaffMember, row_id: str, body: RowChange, database: Db, fields: RequestedFields
    ) -> Wire[JsonDict]:
        async with database.transaction() as session:
            return Wire(
                {
                    singular: fields.pick(
                        plain_table.to_wire(await change_row(session, actor, plain_table, row_id, body))
                    )
                }
            )

    async def delete(actor: StaffMember, row_id: str, database: Db) -> Wire[Deleted]:
        async with database.transaction() as session:
            await delete_row(session, actor, plain_table, row_id)
        return Wire({"id": row_id, "object": singular, "deleted": True})

    create.__annotations__["body"] = (
        plain_table.create_model
    )  # FastAPI reads the body's model from the annotations
    change.__annotations__["body"] = plain_table.change_model
    of_one = f"{path}/{{row_id}}"
    router.post(path, description=f"Create one of the {about}.")(create)
    router.post(of_one, description=f"Change one of the {about}.")(change)
    router.delete(of_one, description=f"Delete one of the {about}.")(delete)


def add_read_routes(
    router: APIRouter, path: str, plain_table: PlainTable, wire: Callable[[PlainRow], JsonDict] | None = None
) -> None:
    """Add the two read routes of this table to the router: one for a list, one for a row.

    `wire` converts a row to JSON; by default it is the table's `to_wire`, as for staff.
    """
    plural, singular = plain_table.names
    about, to_row_wire = plural.replace("_", " "), wire or plain_table.to_wire

    async def list_rows(
        query: Annotated[RowsParameters, read_query(plain_table.parameters)], database: Db
    ) -> Wire[Page]:
        async with database.read() as session:
            rows, count = await find_rows(session, plain_table, query)
        return Wire(list_response(plural, map(to_row_wire, rows), count, query))

    async def read(row_id: str, database: Db, fields: RequestedFields) -> Wire[JsonDict]:
        async with database.read() as session:
            return Wire({singular: fields.pick(to_row_wire(await find_row(session, plain_table, row_id)))})

    router.get(path, description=f"List the {about}.")(list_rows)
    router.get(f"{path}/{{row_id}}", description=f"Return one of the {about}.")(read)
