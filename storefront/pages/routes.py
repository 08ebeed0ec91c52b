"""Every page of the storefront: its address, what it looks like, and who loads what it shows."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import reflex as rx

from storefront.components.brand import OG_IMAGE
from storefront.components.head import head
from storefront.pages import account, cart, catalog, checkout, home, not_found, order, product, wishlist
from storefront.pages.loading import PageData, PageParams, PageState
from storefront.state.cart import CartState
from storefront.state.frame import FrameState
from storefront.state.wishlist import WishlistState

Loader = Callable[[PageParams], Awaitable[PageData[Any]]]


@dataclass(frozen=True)
class Page:
    """A page of the storefront.

    `load` gives what the page shows and its document's facts. `state` is the state that keeps them, with the event
    `load` of its own; None for a page that shows nothing but the browser's own things, whose `title` and
    `description` are fixed then. Any other page that is not public may have a `title` too, which its document has
    before the shopper is known.
    `look_again`: the event of a state without a loader that brings it up to date when the browser connects again.
    `is_public`: the page shows everybody the same, so its document may carry what it shows.
    """

    route: str
    look: Callable[[], rx.Component]
    load: Loader
    state: type[PageState] | None = None
    title: str = ""
    description: str = ""
    look_again: Any = None
    is_public: bool = False

    def add_to(self, app: rx.App) -> None:
        """Add the page to the app, with the frame's own loading before it."""
        frame = [FrameState.load_departments, CartState.load_cart]
        if self.state is None:
            app.add_page(
                self.look,
                route=self.route,
                title=self.title,
                description=self.description or None,
                image=OG_IMAGE,  # without one Reflex names a file of its own on the page for unknown addresses
                on_load=[*filter(None, [self.look_again]), *frame],
            )
            return
        facts = self.state.facts
        app.add_page(
            self.look,
            route=self.route,
            title=facts.title,
            image=facts.image,  # type: ignore[arg-type]  # a variable is welcome there, as for the title
            meta=head(facts),
            on_load=[self.state.load, *frame],
        )


PAGES = (
    Page("/", home.page, home.load, home.HomeState, is_public=True),
    Page("/catalog", catalog.page, catalog.load, catalog.CatalogState, is_public=True),
    Page("/product/[slug]", product.page, product.load, product.ProductState, is_public=True),
    Page("/cart", cart.page, cart.load, title=cart.TITLE),
    Page("/checkout", checkout.page, checkout.load, checkout.CheckoutState),
    Page("/order/[id]", order.page, order.load, order.OrderState, title=order.TITLE),
    Page(
        "/wishlist",
        wishlist.page,
        wishlist.load,
        title=wishlist.TITLE,
        look_again=WishlistState.look_again,
    ),
    Page("/account", account.home.page, account.home.load, account.home.AccountState),
    Page(
        "/account/login",
        account.enter.login_page,
        account.enter.load,
        account.enter.EnterState,
        is_public=True,
    ),
    Page(
        "/account/register",
        account.enter.register_page,
        account.enter.load,
        account.enter.EnterState,
        is_public=True,
    ),
    Page("/account/reset", account.reset.page, account.reset.load, title=account.reset.TITLE),
    Page("404", not_found.page, not_found.load, title=not_found.TITLE, description=not_found.DESCRIPTION),
)
