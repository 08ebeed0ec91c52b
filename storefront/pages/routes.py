"""All pages of the storefront: route, component, and loader of each."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

import reflex as rx
from reflex.vars import ObjectVar

from storefront.components.pictures import SHOP_ICON
from storefront.links import CONSENT, FIND_ORDER, GIFT, OPEN_ACCOUNT
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
    pay,
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


class HasRoute(Protocol):
    """A page of the shop or a screen of the office: it has a route in Reflex's syntax."""

    @property
    def route(self) -> str:
        """Return the route."""


Loader = Callable[[PageParams], Awaitable[PageData[Any]]]


@dataclass(frozen=True)
class Page:
    """A page of the storefront.

    Attributes:
        route: its route in Reflex's syntax.
        component: builds the page.
        load: reads the page's content and the status and head of its document.
        state: the state that stores the result of `load`, with an event `load`; None for a page whose content only
            the browser knows.
        title: the title of a page without a state. A page that is not public may also have one: the title of its
            document before the customer is known.
        description: the description of a page without a state.
        refresh: the event that updates a page without a state when the browser reconnects.
        is_public: True if all visitors get the same content, so that the document may contain it.
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
        """Add the page to the app. Opening the page also loads the frame around it."""
        if self.state is None:
            app.add_page(
                self.component,
                route=self.route,
                title=title_with_shop(self.title),
                description=self.description or None,
                image=SHOP_ICON,  # otherwise Reflex uses its own picture for the page of unknown URLs
                on_load=[*filter(None, [self.refresh]), CartState.load_frame],
            )
            return
        meta = self.state.meta
        app.add_page(
            self.component,
            route=self.route,
            title=title_with_shop(meta.title),
            image=rx.cond(meta.image == "", FrameState.brand.share_image, meta.image),
            meta=head_elements(meta),
            on_load=self.state.load,
        )

    def matches(self, segments: tuple[str, ...]) -> bool:
        """Return True if a path with these segments belongs to this page.

        A segment of the route in brackets, such as `[slug]`, matches any text.
        """
        pattern = [part for part in self.route.split("/") if part]
        return len(segments) == len(pattern) and all(
            part.startswith("[") or part == segment for part, segment in zip(pattern, segments, strict=True)
        )


def title_with_shop(title: rx.Var[str] | str) -> rx.Var[str]:
    """Return a document's title followed by the shop's current name.

    `markup.full_title` must return the same text.
    """
    name = FrameState.shop.name
    return rx.cond(title == "", name, f"{title} · {name}")


def head_elements(meta: ObjectVar[DocumentMeta]) -> list[rx.Component]:
    """Return elements of the document's head for `add_page(meta=…)`.

    Title and picture are not included: they are separate arguments of `add_page`.
    """
    return [
        rx.el.meta(name="description", content=meta.description),
        rx.el.meta(name="robots", content=meta.robots),
        rx.cond(meta.canonical != "", rx.el.link(rel="canonical", href=meta.canonical)),
        rx.el.meta(custom_attrs={"property": "og:title"}, content=title_with_shop(meta.title)),
        rx.el.meta(custom_attrs={"property": "og:description"}, content=meta.description),
    ]


PAGES = (
    Page("/", home.page, home.load, home.HomeState, is_public=True),
    Page("/catalog", catalog.page, catalog_list.load, catalog.CatalogState, is_public=True),
    Page("/age/[slug]", catalog.page, catalog_list.load, catalog.CatalogState, is_public=True),
    Page("/brand/[slug]", catalog.page, catalog_list.load, catalog.CatalogState, is_public=True),
    Page("/collection/[slug]", catalog.page, catalog_list.load, catalog.CatalogState, is_public=True),
    Page(GIFT, gift_finder.page, gift_finder.load, gift_finder.GiftState, is_public=True),
    Page("/product/[slug]", product.page, product.load, product.ProductState, is_public=True),
    Page("/cart", cart.page, cart.load, title=cart.TITLE),
    Page("/checkout", checkout.page, checkout.load, checkout.CheckoutState),
    Page(
        FIND_ORDER, find_order.page, find_order.load, find_order.FindOrderState, is_public=True
    ),  # before `/order/[id]`: the first matching route is used
    Page("/notify", stock_notices.page, stock_notices.load, stock_notices.NoticeState, is_public=True),
    Page("/unsubscribe", stock_notices.page, stock_notices.load, stock_notices.NoticeState, is_public=True),
    Page("/order/[id]", order.page, order.load, order.OrderState, title=order.TITLE),
    Page(pay.ROUTE, pay.page, pay.load, pay.PayState, title=pay.TITLE),
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
        account.sign_in.SignInState,
        is_public=True,
    ),
    Page(
        "/account/register",
        account.sign_in.register_page,
        account.sign_in.load,
        account.sign_in.SignInState,
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
    Page(
        OPEN_ACCOUNT,
        account.open_account.page,
        account.open_account.load,
        title=account.open_account.TITLE,
    ),
    Page("/legal/[slug]", legal.page, legal.load, legal.LegalState, is_public=True),
    Page("/pqrs", pqrs.page, pqrs.load, pqrs.PqrsState, is_public=True),
    Page("/pqrs/[id]", pqrs.status_page, pqrs.load_status, pqrs.PqrsStatusState, title=pqrs.STATUS_TITLE),
    Page("404", not_found.page, not_found.load, title=not_found.TITLE, description=not_found.DESCRIPTION),
)
NOT_FOUND = PAGES[-1]
"""The page of unknown URLs. Reflex requires the route `404`; no link leads to it."""


def find_page(segments: tuple[str, ...]) -> Page | None:
    """Return the page of a path, given its decoded segments, or None."""
    return next((page for page in PAGES if page is not NOT_FOUND and page.matches(segments)), None)


def sample_path(page: HasRoute) -> str:
    """Return a path of the page, with `x` for each variable segment."""
    return "/" + "/".join("x" if part.startswith("[") else part for part in page.route.split("/") if part)
