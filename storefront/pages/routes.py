"""Every page of the storefront: its address, its component, and the loader of what it shows."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

import reflex as rx
from reflex.vars import ObjectVar

from storefront.components.pictures import OG_IMAGE
from storefront.links import CONSENT, FIND_ORDER, GIFT
from storefront.meta import DocumentMeta
from storefront.pages import (
    account,
    cart,
    catalog,
    catalog_list,
    checkout,
    find_order,
    gift_finder,
    home,
    legal,
    not_found,
    order,
    pqrs,
    product,
    review,
    stock_notices,
    wishlist,
)
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.state.cart import CartState
from storefront.state.frame import FrameState
from storefront.state.wishlist import WishlistState


class Routed(Protocol):
    """A page of the shop or a screen of the office: it has an address, as Reflex writes it."""

    @property
    def route(self) -> str:
        """The address."""


Loader = Callable[[PageParams], Awaitable[PageData[Any]]]


@dataclass(frozen=True)
class Page:
    """A page of the storefront.

    Attributes:
        route: its address, as Reflex writes it.
        component: what it looks like.
        load: gives what it shows and its document's meta.
        state: the state that holds both, with an event `load`; None for a page that shows only what the browser knows.
        title: of a page without a state. Any other page that is not public may have one too: its document's title
            before the shopper is known.
        description: of a page without a state.
        refresh: the event that brings a page without a state up to date when the browser connects again.
        is_public: whether it shows everybody the same, so that its document may hold what it shows.
    """

    route: str
    component: Callable[[], rx.Component]
    load: Loader
    state: type[PageState] | None = None
    title: str = ""
    description: str = ""
    refresh: Any = None
    is_public: bool = False

    def add_to(self, app: rx.App) -> None:
        """Add the page to the app. When it opens, what is around every page is loaded too."""
        if self.state is None:
            app.add_page(
                self.component,
                route=self.route,
                title=with_shop(self.title),
                description=self.description or None,
                image=OG_IMAGE,  # without one Reflex names a file of its own on the page for unknown addresses
                on_load=[*filter(None, [self.refresh]), CartState.load_frame],
            )
            return
        meta = self.state.meta
        app.add_page(
            self.component,
            route=self.route,
            title=with_shop(meta.title),
            image=rx.cond(meta.image == "", OG_IMAGE, meta.image),
            meta=head(meta),
            on_load=self.state.load,
        )

    def matches(self, segments: tuple[str, ...]) -> bool:
        """Whether a path of these parts leads here: each is the route's own, or stands where it varies (`[slug]`)."""
        pattern = [part for part in self.route.split("/") if part]
        return len(segments) == len(pattern) and all(
            part.startswith("[") or part == segment for part, segment in zip(pattern, segments, strict=True)
        )


def with_shop(title: rx.Var[str] | str) -> rx.Var[str]:
    """The title of a document: the page's, and the shop's name as it stands. `markup.full_title` is its like."""
    name = FrameState.shop.name
    return rx.cond(title == "", name, f"{title} · {name}")


def head(meta: ObjectVar[DocumentMeta]) -> list[rx.Component]:
    """The head's elements, for `add_page(meta=…)`. Title and picture are arguments of their own there."""
    return [
        rx.el.meta(name="description", content=meta.description),
        rx.el.meta(name="robots", content=meta.robots),
        rx.cond(meta.canonical != "", rx.el.link(rel="canonical", href=meta.canonical)),
        rx.el.meta(custom_attrs={"property": "og:title"}, content=with_shop(meta.title)),
        rx.el.meta(custom_attrs={"property": "og:description"}, content=meta.description),
    ]


PAGES = (
    Page("/", home.page, home.load, home.HomeState, is_public=True),
    Page("/catalog", catalog.page, catalog_list.load, catalog.CatalogState, is_public=True),
    Page("/age/[slug]", catalog.page, catalog_list.load, catalog.CatalogState, is_public=True),
    Page("/brand/[slug]", catalog.page, catalog_list.load, catalog.CatalogState, is_public=True),
    Page(GIFT, gift_finder.page, gift_finder.load, gift_finder.GiftState, is_public=True),
    Page("/product/[slug]", product.page, product.load, product.ProductState, is_public=True),
    Page("/cart", cart.page, cart.load, title=cart.TITLE),
    Page("/checkout", checkout.page, checkout.load, checkout.CheckoutState),
    Page(
        FIND_ORDER, find_order.page, find_order.load, find_order.FindOrderState, is_public=True
    ),  # before the orders: the first that matches is shown
    Page("/notify", stock_notices.page, stock_notices.load, stock_notices.NoticeState, is_public=True),
    Page("/unsubscribe", stock_notices.page, stock_notices.load, stock_notices.NoticeState, is_public=True),
    Page("/order/[id]", order.page, order.load, order.OrderState, title=order.TITLE),
    Page("/review/[id]", review.page, review.load, review.ReviewPageState, title=review.TITLE),
    Page(
        "/wishlist",
        wishlist.page,
        wishlist.load,
        title=wishlist.TITLE,
        refresh=WishlistState.refresh,
    ),
    Page("/account", account.home.page, account.home.load, account.home.AccountState),
    Page(
        "/account/login",
        account.sign_in.login_page,
        account.sign_in.load,
        account.sign_in.EnterState,
        is_public=True,
    ),
    Page(
        "/account/register",
        account.sign_in.register_page,
        account.sign_in.load,
        account.sign_in.EnterState,
        is_public=True,
    ),
    Page(
        CONSENT,
        account.sign_in.consent_page,
        account.sign_in.load_consent,
        title=account.sign_in.CONSENT_TITLE,
    ),
    Page(
        "/account/reset",
        account.password_reset.page,
        account.password_reset.load,
        title=account.password_reset.TITLE,
    ),
    Page("/legal/[slug]", legal.page, legal.load, legal.LegalState, is_public=True),
    Page("/pqrs", pqrs.page, pqrs.load, pqrs.PqrsState, is_public=True),
    Page("/pqrs/[id]", pqrs.status_page, pqrs.load_state, pqrs.PqrsStatus, title=pqrs.STATE_TITLE),
    Page("404", not_found.page, not_found.load, title=not_found.TITLE, description=not_found.DESCRIPTION),
)
NOT_FOUND = PAGES[-1]
"""Reflex knows it by the route `404`; no address leads to it."""


def page_at(segments: tuple[str, ...]) -> Page | None:
    """The page that a path leads to, by its decoded parts; None when there is none."""
    return next((page for page in PAGES if page is not NOT_FOUND and page.matches(segments)), None)


def sample_of(page: Routed) -> str:
    """An address that leads to the page, with `x` where its route varies."""
    return "/" + "/".join("x" if part.startswith("[") else part for part in page.route.split("/") if part)
