"""`/admin/redirects`: redirects from addresses of a former shop. The commerce platform has no such routes."""

from collections.abc import Sequence
from dataclasses import astuple
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from backend.catalog.models import Category, Collection, Product
from backend.catalog.redirects.addresses import MAX_TYPED_LENGTH
from backend.catalog.redirects.models import UnknownAddress, UrlRedirect
from backend.catalog.redirects.service import (
    create_redirect,
    delete_redirect,
    dismiss_unknown,
    require_target,
    resolve_address,
    resolve_target,
)
from backend.catalog.redirects.sheet import MAX_FILE_BYTES, import_sheet
from backend.catalog.redirects.targets import (
    RedirectTarget,
    category_page_path,
    collection_page_path,
    product_page_path,
)
from backend.core.db.tables import get_or_404
from backend.core.errors import InvalidData
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import in_clauses, order_clauses, paging_fields, pick_each, read_page, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, ListParameters, Name, example
from backend.edge.wire import Deleted, Page, Stamps, Wire, iso, stamps
from backend.media.sent_file import describe_file_body, read_sent_file, read_spreadsheet
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

PATH = "/admin/redirects"
MAX_PROBLEMS = 100
"""Maximum number of problems of a spreadsheet in an answer."""
router = APIRouter(
    prefix=PATH,
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_CATALOG),
)
SORTABLE = {"path": UrlRedirect.former_address, "created_at": UrlRedirect.created_at}
UNKNOWN_SORTABLE = {
    "path": UnknownAddress.former_address,
    "visits": UnknownAddress.visits,
    "seen_at": UnknownAddress.seen_at,
}


class RedirectOut(Stamps):
    """A redirect from a former address to a product, category or collection."""

    id: str
    path: Annotated[str, Field(description="The former address: path and query, in its normalized form.")]
    target: Annotated[str, Field(description="Current path of its page.")]
    product_id: str | None
    category_id: str | None
    collection_id: str | None


class RedirectAnswer(TypedDict):
    """One redirect."""

    redirect: RedirectOut


class RedirectsAnswer(Page):
    """A page of the redirects."""

    redirects: list[RedirectOut]


class UnknownAddressOut(TypedDict):
    """An address that visitors request, although the shop has neither a page nor a redirect for it."""

    id: str
    path: str
    visits: int
    seen_at: str


class UnknownAddressesAnswer(Page):
    """A page of the unknown addresses."""

    unknown_addresses: list[UnknownAddressOut]


class SheetProblemOut(TypedDict):
    """A row of a spreadsheet that was not stored, or the first of its hidden rows, which are not read."""

    row: int
    value: str
    message: str


class SheetAnswer(TypedDict):
    """Result of importing a spreadsheet of redirects."""

    created: int
    changed: int
    same: int
    problems: Annotated[list[SheetProblemOut], Field(description="The first of them.")]
    problem_count: int


class RedirectsParameters(ListParameters):
    """Filters of redirects."""

    id: list[Name] | None = None
    product_id: list[Name] | None = None
    category_id: list[Name] | None = None
    collection_id: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the former address.")


class NewRedirect(Body):
    """A former address, and its new page as one of `target`, `product_id`, `category_id` and `collection_id`."""

    model_config = example(path="/productos/balero.html", product_id="prod_01JPZ6V3N8K4T2WQ7RXB5C9MHD")

    path: Annotated[
        str, Field(max_length=MAX_TYPED_LENGTH, description="Path and query, or the whole former address.")
    ]
    target: Annotated[
        Name | None,
        Field(
            description="The new address, or the SKU, handle or name of the product, category or collection."
        ),
    ] = None
    product_id: Name | None = None
    category_id: Name | None = None
    collection_id: Name | None = None


@router.get("")
async def list_redirects(
    params: Annotated[RedirectsParameters, read_query(RedirectsParameters)], database: Db
) -> Wire[RedirectsAnswer]:
    """Return a page of the redirects, the newest first."""
    conditions = in_clauses(
        (UrlRedirect.id, params.id),
        (UrlRedirect.product_id, params.product_id),
        (UrlRedirect.category_id, params.category_id),
        (UrlRedirect.collection_id, params.collection_id),
    )
    if params.q:
        conditions.append(UrlRedirect.former_address.contains(params.q.lower(), autoescape=True))
    order = order_clauses(params.order, SORTABLE, [UrlRedirect.created_at.desc(), UrlRedirect.id.desc()])
    async with database.read() as session:
        rows, count = await read_page(session, UrlRedirect, conditions, order, params)
        redirects = await _to_wire(session, rows)
    return Wire({"redirects": pick_each(redirects, params), **paging_fields(count, params)})


@router.post("")
async def create(
    actor: StaffMember, body: NewRedirect, database: Db, fields: RequestedFields
) -> Wire[RedirectAnswer]:
    """Redirect a former address to a product, category or collection. Later changes of its handle are followed.

    A request matches if it has the path and all parameters of the address. It may have further parameters.
    """
    actor.require(Right.CHANGE_CATALOG)
    target = RedirectTarget(body.product_id, body.category_id, body.collection_id)
    if sum(one is not None for one in (body.target, *astuple(target))) != 1:
        raise InvalidData(
            "Invalid request: Give exactly one of 'target', 'product_id', 'category_id' and 'collection_id'"
        )
    async with database.transaction() as session:
        address = await resolve_address(session, body.path)
        if body.target is not None:
            target = await resolve_target(session, body.target)
        else:
            await require_target(session, target)
        redirect = await create_redirect(session, actor, address, target)
        (wire,) = await _to_wire(session, [redirect])
    return Wire({"redirect": fields.pick(wire)})


@router.post("/import", openapi_extra=describe_file_body("The spreadsheet."))
async def import_spreadsheet(actor: StaffMember, request: Request, database: Db) -> Wire[SheetAnswer]:
    """Store the redirects of a spreadsheet with two columns (XLSX or CSV, at most 2 MiB and 10,000 visible rows).

    One column has the former addresses, the other one the new address, or the SKU, handle or name of the
    product, category or collection. If an address is already redirected to another page, its redirect is
    changed. Rows with problems are left out. Hidden rows and sheets are not read: the first problem has the
    number of the hidden rows.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with read_sent_file(request) as sent:
        content = await read_spreadsheet(sent, MAX_FILE_BYTES)
    result = await import_sheet(database, actor, content)
    problems: list[SheetProblemOut] = [
        {"row": one.line, "value": one.value, "message": one.text} for one in result.problems[:MAX_PROBLEMS]
    ]
    return Wire(
        {
            "created": result.created,
            "changed": result.changed,
            "same": result.same,
            "problems": problems,
            "problem_count": len(result.problems),
        }
    )


@router.get("/unknown")
async def list_unknown_addresses(
    params: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[UnknownAddressesAnswer]:
    """Return a page of the unknown addresses that people visit, those with the most visits first."""
    order = order_clauses(
        params.order, UNKNOWN_SORTABLE, [UnknownAddress.visits.desc(), UnknownAddress.former_address.asc()]
    )
    conditions = [UnknownAddress.is_dismissed.is_(False)]
    async with database.read() as session:
        rows, count = await read_page(session, UnknownAddress, conditions, order, params)
    unknown: list[UnknownAddressOut] = [
        {"id": one.id, "path": one.former_address, "visits": one.visits, "seen_at": iso(one.seen_at)}
        for one in rows
    ]
    return Wire({"unknown_addresses": pick_each(unknown, params), **paging_fields(count, params)})


@router.delete("/unknown/{unknown_id}")
async def dismiss(actor: StaffMember, unknown_id: str, database: Db) -> Wire[Deleted]:
    """Remove an unknown address from the list for good."""
    async with database.transaction() as session:
        await dismiss_unknown(session, actor, unknown_id)
    return Wire({"id": unknown_id, "object": "unknown_address", "deleted": True})


@router.get("/{redirect_id}")
async def read(redirect_id: str, database: Db, fields: RequestedFields) -> Wire[RedirectAnswer]:
    """Return one redirect."""
    query = select(UrlRedirect).where(UrlRedirect.id == redirect_id)
    async with database.read() as session:
        (wire,) = await _to_wire(session, [await get_or_404(session, query, "Redirect", redirect_id)])
    return Wire({"redirect": fields.pick(wire)})


@router.delete("/{redirect_id}")
async def delete(actor: StaffMember, redirect_id: str, database: Db) -> Wire[Deleted]:
    """Delete a redirect."""
    async with database.transaction() as session:
        await delete_redirect(session, actor, redirect_id)
    return Wire({"id": redirect_id, "object": "redirect", "deleted": True})


async def _to_wire(session: AsyncSession, redirects: Sequence[UrlRedirect]) -> list[RedirectOut]:
    paths: dict[str, str] = {}
    for kind, ids, page_path in (
        (Product, {one.product_id for one in redirects}, product_page_path),
        (Category, {one.category_id for one in redirects}, category_page_path),
        (Collection, {one.collection_id for one in redirects}, collection_page_path),
    ):
        rows = await session.execute(select(kind.id, kind.handle).where(kind.id.in_(ids - {None})))
        paths |= {target_id: page_path(handle) for target_id, handle in rows}
    return [
        {
            "id": one.id,
            "path": one.former_address,
            "target": paths[one.product_id or one.category_id or one.collection_id or ""],
            "product_id": one.product_id,
            "category_id": one.category_id,
            "collection_id": one.collection_id,
            **stamps(one.created_at, one.updated_at),
        }
        for one in redirects
    ]
