"""The route of the button that ends offers. The page with the button is at `/unsubscribe`."""

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from backend.cart_reminders.unsubscribing import OFFERS, unsubscribe
from backend.core.errors import NotFound
from backend.edge.auth.csrf import check_own_page, read_form_fields
from backend.edge.dependencies import Db, ShopSettings
from backend.edge.requests import WireRoute

router = APIRouter(
    prefix="/api/cart-reminders",
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own pages
    dependencies=[Depends(check_own_page)],
)


@router.post("/unsubscribe")
async def end_offers(request: Request, database: Db, settings: ShopSettings) -> Response:
    """Withdraw the customer's marketing consent, and redirect to the page that shows the result."""
    typed = await read_form_fields(request)
    said = "unsubscribed"
    try:
        async with database.transaction() as session:
            await unsubscribe(session, settings.signing_key, typed["id"], typed["token"])
    except (KeyError, NotFound):
        said = "invalid"
    return RedirectResponse(f"/unsubscribe?about={OFFERS}&said={said}", 303)
