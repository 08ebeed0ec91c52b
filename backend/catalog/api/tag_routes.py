"""Routes of product tags and types in the Admin API and the Store API (wire: commerce-api)."""

from fastapi import APIRouter, Depends

from backend.catalog.products.tags_and_types import TAGS, TYPES
from backend.edge.dependencies import sales_channel
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.wire import JsonDict
from backend.plain_tables.models import PlainRow
from backend.plain_tables.routes import add_read_routes, add_table_routes
from backend.plain_tables.service import PlainTable
from backend.staff.dependencies import require_staff_right
from backend.staff.rights import Right

admin_router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_CATALOG),
)
store_router = APIRouter(
    prefix="/store",
    route_class=WireRoute,
    tags=["store: catalogue"],
    responses=REFUSALS,
    dependencies=[Depends(sales_channel)],
)


def _serve(path: str, kind: PlainTable) -> None:
    def without_deletion(row: PlainRow) -> JsonDict:
        return {name: value for name, value in kind.to_wire(row).items() if name != "deleted_at"}

    add_table_routes(admin_router, path, kind)
    add_read_routes(store_router, path, kind, without_deletion)


_serve("/product-tags", TAGS)
_serve("/product-types", TYPES)
