"""The screens of the office: address, component, state and title of each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.pictures import SHOP_ICON
from storefront.office import attention, audit, invoices, pqrs, redirects, reports, reviews, today
from storefront.office.auth import sign_in
from storefront.office.brand import page as brand
from storefront.office.brand.state import BrandState
from storefront.office.catalog import categories, category_editor, collections
from storefront.office.content import area_page
from storefront.office.content import page as content
from storefront.office.content.area_state import AreaState
from storefront.office.customers import detail as customer_page
from storefront.office.customers import listing as customers_page
from storefront.office.customers.detail_state import CustomerState
from storefront.office.customers.search import find_customers
from storefront.office.deliveries import page as deliveries
from storefront.office.deliveries.state import DeliveriesState
from storefront.office.imports import page as imports
from storefront.office.imports.state import ImportState
from storefront.office.navigation import (
    ATTENTION,
    AUDIT,
    BRAND,
    CATEGORIES,
    CLOSING,
    COLLECTIONS,
    CONTENT,
    CUSTOMERS,
    DELIVERIES,
    EDIT_ORDER,
    EXCHANGE,
    IMPORT,
    INVOICES,
    NEW_RETURN,
    OFFERS,
    OFFICE,
    ORDERS,
    OWN_ACCOUNT,
    PACK,
    PQRS,
    PRODUCTS,
    REDIRECTS,
    REPORTS,
    RETURNS,
    REVIEWS,
    SALES,
    SELL,
    SETTINGS,
    SIGN_IN,
    STOCK,
    TEAM,
)
from storefront.office.offers import editor as offer_editor
from storefront.office.offers import listing as offers_page
from storefront.office.offers import sale_editor
from storefront.office.offers.sale_state import SaleState
from storefront.office.offers.state import OffersState, OfferState
from storefront.office.orders import detail, editing, exchange, listing, packing
from storefront.office.orders.detail_state import OrderState
from storefront.office.orders.editing_state import EditOrderState
from storefront.office.orders.exchange_state import ExchangeState
from storefront.office.orders.listing_state import OrdersState
from storefront.office.orders.search import find_orders
from storefront.office.products import editor, preview
from storefront.office.products import listing as products_page
from storefront.office.products.editor_state import ProductState
from storefront.office.products.listing_state import ProductsState
from storefront.office.products.search import find_products
from storefront.office.returns import detail as return_page
from storefront.office.returns import listing as returns_page
from storefront.office.returns import new_return
from storefront.office.returns.detail_state import ReturnState
from storefront.office.search import FINDERS
from storefront.office.sell import closing
from storefront.office.sell import page as sell_page
from storefront.office.sell.state import SellState
from storefront.office.settings import page as settings
from storefront.office.settings.state import SettingsState
from storefront.office.stock import page as stock_page
from storefront.office.stock.state import StockState
from storefront.office.team import account
from storefront.office.team import page as team_page
from storefront.office.team.state import TeamState

TITLE_SUFFIX = _("Oficina")
"""Ending of every document's title."""


@dataclass(frozen=True)
class OfficePage:
    """A screen of the office.

    Attributes:
        route: its address in Reflex's syntax. The variable part is always called `[id]`, as in the shop's routes.
            Any other name would add a variable to the state of every shopper.
        component: builds the screen.
        state: its state, with an event `load`.
        title: its document's title, without `TITLE_SUFFIX`.
    """

    route: str
    component: Callable[[], rx.Component]
    state: Any
    title: str

    def add_to(self, app: rx.App) -> None:
        """Add the screen to the app."""
        app.add_page(
            self.component,
            route=self.route,
            title=f"{self.title} · {TITLE_SUFFIX}",
            image=SHOP_ICON,  # otherwise Reflex links to its own file
            on_load=[self.state.load],
        )

    def matches(self, segments: tuple[str, ...]) -> bool:
        """Return True if the path's segments match the route."""
        pattern = [part for part in self.route.split("/") if part]
        return len(segments) == len(pattern) and all(
            part.startswith("[") or part == segment for part, segment in zip(pattern, segments, strict=True)
        )


OFFICE_PAGES = (
    OfficePage(SIGN_IN, sign_in.page, sign_in.OfficeSignInState, sign_in.TITLE),
    OfficePage(OFFICE, today.page, today.TodayState, today.TITLE),
    OfficePage(ORDERS, listing.page, OrdersState, listing.TITLE),
    OfficePage(f"{ORDERS}/[id]", detail.page, OrderState, detail.TITLE),
    OfficePage(PACK, packing.page, packing.PackState, packing.TITLE),
    OfficePage(CLOSING, closing.page, closing.ClosingState, closing.TITLE),
    OfficePage(EDIT_ORDER, editing.page, EditOrderState, editing.TITLE),
    OfficePage(EXCHANGE, exchange.page, ExchangeState, exchange.TITLE),
    OfficePage(SELL, sell_page.page, SellState, sell_page.TITLE),
    OfficePage(ATTENTION, attention.page, attention.AttentionState, attention.TITLE),
    OfficePage(f"{PRODUCTS}/[id]", editor.page, ProductState, editor.TITLE),
    OfficePage(f"{PRODUCTS}/[id]/vista", preview.page, preview.PreviewState, preview.TITLE),
    OfficePage(PRODUCTS, products_page.page, ProductsState, products_page.TITLE),
    OfficePage(CATEGORIES, categories.page, categories.CategoriesState, categories.TITLE),
    OfficePage(
        f"{CATEGORIES}/[id]", category_editor.page, category_editor.CategoryState, category_editor.TITLE
    ),
    OfficePage(COLLECTIONS, collections.page, collections.CollectionsState, collections.TITLE),
    OfficePage(
        f"{COLLECTIONS}/[id]", collections.editor_page, collections.CollectionState, collections.EDITOR_TITLE
    ),
    OfficePage(STOCK, stock_page.page, StockState, stock_page.TITLE),
    OfficePage(IMPORT, imports.page, ImportState, imports.TITLE),
    OfficePage(REDIRECTS, redirects.page, redirects.RedirectsState, redirects.TITLE),
    OfficePage(RETURNS, returns_page.page, returns_page.ReturnsState, returns_page.TITLE),
    OfficePage(NEW_RETURN, new_return.page, new_return.NewReturnState, new_return.TITLE),
    OfficePage(f"{RETURNS}/[id]", return_page.page, ReturnState, return_page.TITLE),
    OfficePage(CUSTOMERS, customers_page.page, customers_page.CustomersState, customers_page.TITLE),
    OfficePage(f"{CUSTOMERS}/[id]", customer_page.page, CustomerState, customer_page.TITLE),
    OfficePage(OFFERS, offers_page.page, OffersState, offers_page.TITLE),
    OfficePage(f"{OFFERS}/[id]", offer_editor.page, OfferState, offer_editor.TITLE),
    OfficePage(f"{SALES}/[id]", sale_editor.page, SaleState, sale_editor.TITLE),
    OfficePage(PQRS, pqrs.page, pqrs.PqrsScreen, pqrs.TITLE),
    OfficePage(REVIEWS, reviews.page, reviews.ReviewsScreen, reviews.TITLE),
    OfficePage(DELIVERIES, deliveries.page, DeliveriesState, deliveries.TITLE),
    OfficePage(BRAND, brand.page, BrandState, brand.TITLE),
    OfficePage(CONTENT, content.page, content.ContentState, content.TITLE),
    OfficePage(f"{CONTENT}/[id]", area_page.page, AreaState, area_page.TITLE),
    OfficePage(INVOICES, invoices.page, invoices.InvoicesState, invoices.TITLE),
    OfficePage(REPORTS, reports.page, reports.ReportsState, reports.TITLE),
    OfficePage(AUDIT, audit.page, audit.AuditState, audit.TITLE),
    OfficePage(TEAM, team_page.page, TeamState, team_page.TITLE),
    OfficePage(SETTINGS, settings.page, SettingsState, settings.TITLE),
    OfficePage(OWN_ACCOUNT, account.page, account.OwnAccountState, account.TITLE),
)

FINDERS.extend((find_orders, find_customers, find_products))


def find_office_page(segments: tuple[str, ...]) -> OfficePage | None:
    """Return the screen that the path's decoded parts lead to, or None. A fixed part is preferred to a variable one."""
    matching = [page for page in OFFICE_PAGES if page.matches(segments)]
    return min(matching, key=lambda page: page.route.count("["), default=None)
