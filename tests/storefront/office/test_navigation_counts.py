"""The numbers next to the places of the navigation: loaded with every screen, and refreshed while it is open."""

from typing import Any

from backend.app import Shop
from backend.news.topics import Topic
from backend.pqrs.service import send_pqrs
from backend.rate_limit.limiter import Client
from backend.staff.rights import Role
from storefront.live.open_pages import open_pages
from storefront.live.refresh import update_state
from storefront.office.products.listing_state import ProductsState
from storefront.office.state import StaffState
from tests.storefront.office.conftest import BrowserFactory

REQUEST = {"kind": "queja", "name": "Ana", "email": "ana@example.com", "text": "Nadie contesta el teléfono."}


async def test_new_pqrs_request_updates_the_navigation_of_an_open_screen(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    root = await browser_of(Role.OWNER, "/oficina/productos")
    screen: Any = await root.get_state(ProductsState)
    await type(screen).event_handlers["load"].fn(screen)
    staff: Any = await root.get_state(StaffState)
    assert (staff.counts["pqrs"], staff.counts["more"], staff.deadlines["pqrs"]) == (0, 0, "")
    (showing,) = open_pages.showing({Topic.PQRS})[root.router.session.client_token]
    assert showing.state is StaffState
    await send_pqrs(shop.database, REQUEST, client=Client("190.24.1.1"))
    await update_state(staff)
    assert (staff.counts["pqrs"], staff.counts["more"]) == (1, 1)
    assert staff.deadlines["pqrs"].startswith("Quedan ")
