"""A new document of a tab shows nothing of the previous document; a new connection keeps the state."""

from collections.abc import Callable
from typing import Any

import reflex as rx
from reflex.event import Event
from reflex.istate.data import RouterData

from backend.app import Shop
from storefront.pages.catalog import CatalogState
from storefront.pages.checkout.state import CheckoutState
from storefront.pages.product import ProductState
from storefront.reflex_ext.new_documents import NewDocumentMiddleware
from storefront.reflex_ext.state_loss import HYDRATE
from storefront.storefront import MIDDLEWARE, app

DOCUMENT = Event(name=HYDRATE, payload={"hashes": ["digest"], "vars": {}})


async def load_pages_after(shopper: Callable[[], rx.State], event: Event, address: str) -> list[bool]:
    """Load three pages, send an event, and return for each page if it is still loaded.

    The pages are the product page, the catalogue and the checkout, which alone is not public. They are loaded at
    `/product/oso`; the event comes from `address`.
    """
    root = shopper()
    root.router = RouterData.from_router_data({"pathname": "/product/oso", "asPath": "/product/oso"})
    pages: list[Any] = [await root.get_state(page) for page in (ProductState, CatalogState, CheckoutState)]
    for page in pages:
        await page.load()
        assert page.is_ready
    root.router = RouterData.from_router_data({"pathname": address, "asPath": address})
    (middleware,) = [one for one in MIDDLEWARE if isinstance(one, NewDocumentMiddleware)]
    assert await middleware.preprocess(app, root, event) is None
    return [page.is_ready for page in pages]


async def test_newly_loaded_document_starts_with_its_own_state(
    shop: Shop, shopper: Callable[[], rx.State]
) -> None:
    assert await load_pages_after(shopper, DOCUMENT, "/product/trompo") == [False, False, True]


async def test_reload_reconnection_and_other_events_keep_the_state(
    shop: Shop, shopper: Callable[[], rx.State]
) -> None:
    for event, address in (
        (DOCUMENT, "/product/oso"),
        (Event(name=HYDRATE, payload={}), "/product/trompo"),
        (Event(name="load", payload={"hashes": ["digest"]}), "/product/trompo"),
    ):
        assert await load_pages_after(shopper, event, address) == [True, True, True]
