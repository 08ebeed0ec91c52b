"""Endpoint of the page `/account/open`. It signs the browser in, so it is called by HTTP like the account's forms."""

from fastapi import APIRouter, Depends
from starlette.responses import Response

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.customers.auth import signing_in
from backend.customers.auth.account_routes import OldToken, Typed, build_signed_in_answer
from backend.edge.auth.csrf import check_own_page
from backend.edge.auth.devices import CurrentVisitor
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.requests import WireRoute
from backend.legal.consents import ConsentContext, ConsentSource
from backend.orders.links.account_links import open_account

router = APIRouter(
    prefix="/auth/account/open",
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own page
    dependencies=[Depends(check_own_page)],
)


@router.post("")
async def open_account_of_guest(  # noqa: PLR0917 - FastAPI names them
    body: Typed,
    database: Db,
    settings: ShopSettings,
    visitor: CurrentVisitor,
    client_ip: ClientIp,
    old_token: OldToken,
) -> Response:
    """Create the account of a guest by a mailed link, and sign the browser in."""
    return await build_signed_in_answer(
        settings, visitor, _open_and_sign_in(database, settings, body, client_ip, old_token)
    )


async def _open_and_sign_in(
    database: Database, settings: Settings, body: Typed, client_ip: str, old_token: str
) -> signing_in.SignedIn:
    consenting = ConsentContext(settings, client_ip, ConsentSource.ORDER)
    customer_id = await open_account(database, body.token, body.model_dump(), consenting=consenting)
    return await signing_in.start_session(database, customer_id, old_token=old_token)
