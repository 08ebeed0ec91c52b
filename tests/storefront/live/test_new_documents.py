"""A new document of a tab shows nothing of what the tab showed before; a connection that is made anew keeps it."""

from collections.abc import Callable
from typing import Any

import reflex as rx
from reflex.event import Event

from storefront.live.new_documents import NewDocumentMiddleware
from storefront.live.state_loss import HYDRATE
from storefront.pages.catalog import CatalogState
from storefront.pages.checkout.state import CheckoutState
from storefront.pages.product import ProductState
from storefront.storefront import app

APP: Any = None


async def shown_after(root: rx.State, event: Event) -> list[bool]:
    """Which of two states still have what they showed."""
    states = [await root.get_state(ProductState), await root.get_state(CheckoutState)]
    for state in states:
        state.is_ready = True
    assert await NewDocumentMiddleware([ProductState]).preprocess(APP, root, event) is None
    return [state.is_ready for state in states]


async def test_a_new_document_begins_with_what_it_brought(shopper: Callable[[], rx.State]) -> None:
    document = Event(name=HYDRATE, payload={"hashes": ["digest"], "vars": {}})
    assert await shown_after(shopper(), document) == [False, True]


async def test_a_connection_made_anew_and_any_other_event_keep_what_is_shown(
    shopper: Callable[[], rx.State],
) -> None:
    for event in (Event(name=HYDRATE, payload={}), Event(name="load", payload={"hashes": ["digest"]})):
        assert await shown_after(shopper(), event) == [True, True]


def test_the_pages_that_everybody_sees_the_same_are_such() -> None:
    (middleware,) = [one for one in app._middlewares if isinstance(one, NewDocumentMiddleware)]
    assert {CatalogState, ProductState} <= middleware._states
    assert CheckoutState not in middleware._states
