"""State of the frame around every page: the departments of the menu, the shop's details, and notices about errors."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import reflex as rx
from cachetools import LRUCache
from reflex.event import EventSpec

from backend.app import Shop, current_shop
from backend.catalog.category_tree import category_tree
from backend.catalog.storefront.product_list import read_age_facets
from backend.catalog.views import CategoryNode
from backend.content.brand import Brand, SocialLink
from backend.content.current_content import Announcement, Footer
from backend.content.goods import NEUTRAL_GOODS, Goods
from backend.core.config.modules import GATEWAY_PSE
from backend.core.config.settings import Settings
from backend.core.error_texts import FAILURE, NOTICE, text_for
from backend.core.errors import (
    ShopError,
)
from backend.core.observability.logs import log_scope
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from backend.core.web.contact import COUNTRY_CODE, parse_phone
from backend.media.brand_pictures import IconKind
from backend.news.topics import Topic
from backend.payment.sessions import list_offered_providers
from backend.presses.service import PressUsed
from storefront.brand_icons import find_icon_url, find_share_image, get_brand
from storefront.live.open_pages import watch
from storefront.meta import absolute_url
from storefront.reflex_ext.event_processor import current_event_ids
from storefront.reflex_ext.numbers import grouped
from storefront.reflex_ext.socket_guard import count_failure
from storefront.state.handlers import event, next_number

SHOP_UNAVAILABLE = _("La tienda vuelve en un momento. Inténtalo otra vez en unos segundos.")


@dataclass(frozen=True, slots=True)
class Notice:
    """A message to the customer. `number` is different for each message; `tone` is `problem` or `news`."""

    number: int = 0
    tone: str = "news"
    text: str = ""


BOGOTA = "11001000"
"""DANE code of the municipality of Bogotá."""
MAX_NAME_WORD_LENGTH = 8
"""Maximum letters of a word in the shop's name that fit in one line on a screen of 320 pixels."""


@dataclass(frozen=True, slots=True)
class ShopInfo:
    """The shop's details that every page displays. Empty texts are not displayed.

    Attributes:
        site: URL of the shop, without a slash at its end.
        phone_link, email_link, whatsapp_link: URLs of links to call or write to the shop.
        takes_pse: True if customers can pay with PSE.
        has_long_name: True if a word of the name does not fit next to the buttons of the smallest phone in the
            usual font size.
    """

    name: str = ""
    site: str = ""
    has_long_name: bool = False
    legal: str = ""
    phone: str = ""
    phone_link: str = ""
    email: str = ""
    email_link: str = ""
    whatsapp_link: str = ""
    address: str = ""
    about: str = ""
    hours: str = ""
    takes_pse: bool = True


@dataclass(frozen=True, slots=True)
class BrandInfo:
    """The brand as every page displays it. Without a logo, the shop's name is displayed in letters.

    Attributes:
        is_demo: True if the demo's drawings are displayed.
        logo: URL of the logo; `width` and `height` are its size in pixels.
        style: CSS rule with the shop's colours; empty if the colours of the style sheet are used.
        color: colour that phones give to the bars around a page.
        icon: URL of the icon in the browser's tab.
        share_image: URL of the picture of a shared page that has no picture of its own.
        headline, text: heading of the home page, and the text below it.
        goods: the shop's words for its products.
        links: the shop's profiles on social networks.
    """

    is_demo: bool = False
    logo: str = ""
    width: int = 0
    height: int = 0
    style: str = ""
    color: str = ""
    icon: str = ""
    share_image: str = ""
    headline: str = ""
    text: str = ""
    goods: Goods = NEUTRAL_GOODS
    links: list[SocialLink] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Frame:
    """Values around every page: departments and ages of the menu, shop details, brand, announcement and footer."""

    departments: list[CategoryNode]
    ages: list[str]
    shop: ShopInfo
    brand: BrandInfo
    announcement: Announcement
    footer: Footer

    def as_state(self) -> dict[str, Any]:
        """Return the values of `FrameState` by variable name.

        Announcement and footer are left out if staff have not written any.
        """
        values: dict[str, Any] = {
            "departments": self.departments,
            "ages": self.ages,
            "shop": self.shop,
            "brand": self.brand,
        }
        if self.announcement.text:
            values["announcement"] = self.announcement
        if self.footer != Footer():
            values["footer"] = self.footer
        return values


async def get_frame() -> Frame:
    """Return the current frame. It is cached until the catalogue, the content or the settings change."""
    shop = current_shop()
    return await shop.catalog_version.read_cached("frame", lambda: _read_frame(shop))


async def _read_frame(shop: Shop) -> Frame:
    async with shop.database.read() as session:
        departments = [_to_menu_entry(node) for node in await category_tree(session)]
        ages = [age.value for age in await read_age_facets(session)]
        offered = await list_offered_providers(session, None)
    content = await shop.content.read_current()
    brand = await get_brand()
    return Frame(
        departments,
        ages,
        shop_info(
            await shop.effective_settings.now(),
            brand,
            takes_pse=GATEWAY_PSE in offered.intersection(shop.payments.providers),
        ),
        brand_info(brand),
        content.announcement,
        content.footer,
    )


def _to_menu_entry(node: CategoryNode) -> CategoryNode:
    """Return a department as the menu displays it: two levels of categories, without descriptions."""
    children = [replace(child, description="", children=[]) for child in node.children]
    return replace(node, description="", children=children)


def brand_info(brand: Brand) -> BrandInfo:
    """Return the brand as pages display it."""
    logo = brand.logo
    return BrandInfo(
        is_demo=brand.is_demo,
        logo=logo.url if logo else "",
        width=logo.width if logo else 0,
        height=logo.height if logo else 0,
        style=brand.style,
        color=brand.palette.background,
        icon=find_icon_url(brand, IconKind.FAVICON),
        share_image=absolute_url(find_share_image(brand)),
        headline=brand.headline,
        text=brand.headline_text,
        goods=brand.goods,
        links=brand.links,
    )


def shop_info(effective: Settings, brand: Brand, *, takes_pse: bool = True) -> ShopInfo:
    """Return the details that pages display, from the effective settings and the brand."""
    dial = effective.store_phone.replace(" ", "")
    return ShopInfo(
        name=effective.store_name,
        site=effective.base_url,
        has_long_name=any(len(word) > MAX_NAME_WORD_LENGTH for word in effective.store_name.split()),
        legal=f"{effective.store_legal_name} · NIT {effective.store_nit}",
        phone=effective.store_phone,
        phone_link=f"tel:{dial if dial.startswith('+') else '+57' + dial}",
        email=effective.store_email,
        email_link=f"mailto:{effective.store_email}",
        whatsapp_link=_whatsapp_link(brand.whatsapp),
        address=effective.store_address,
        about=effective.store_about or (_demo_about(effective) if brand.is_demo else ""),
        hours=effective.store_hours or _("Lunes a viernes, 8 a. m. a 5 p. m."),
        takes_pse=takes_pse,
    )


def _whatsapp_link(number: str) -> str:
    """Return the WhatsApp URL of this number; empty if there is no number.

    Colombia's country code is added if it is missing.
    """
    national = parse_phone(number)
    whole = f"{COUNTRY_CODE}{national}" if national else "".join(filter(str.isdigit, number))
    return f"https://wa.me/{whole}" if whole else ""


def _demo_about(effective: Settings) -> str:
    if effective.carrier_origin_dane_code == BOGOTA:
        return _("Juguetes que duran más de una infancia, escogidos uno por uno y despachados desde Bogotá.")
    return _("Juguetes que duran más de una infancia, escogidos uno por uno.")


class FrameState(rx.State):
    """The frame of the page."""

    departments: rx.Field[list[CategoryNode]] = rx.field(default_factory=list)
    ages: rx.Field[list[str]] = rx.field(default_factory=list)
    """The age ranges for sale."""
    shop: rx.Field[ShopInfo] = rx.field(default_factory=ShopInfo)
    brand: rx.Field[BrandInfo] = rx.field(default_factory=BrandInfo)
    notice: rx.Field[Notice] = rx.field(default_factory=Notice)
    announcement: rx.Field[Announcement] = rx.field(default_factory=Announcement)
    footer: rx.Field[Footer] = rx.field(default_factory=Footer)

    async def _update(self) -> None:
        """Update the frame after staff have changed the content or the settings: see `storefront.live.refresh`."""
        await show_frame(self)

    @event()
    def show_failure(self) -> None:
        """Show the notice of an unexpected error."""
        show_notice(self, FAILURE)


GOODS = FrameState.brand.goods
"""The shop's words for its products, such as «libro» and «libros»."""
OFFERS_GIFTS = FrameState.ages.length() > 0
"""True if at least one product has an age: pages then link to the gift finder and to the lists by age."""


def count_products(total: Any) -> rx.Var[str]:
    """Return a text with the number of products, such as «12 libros»."""
    several = _("{n} {goods}").format(n=grouped(total), goods=GOODS.many)
    return rx.cond(total == 1, _("1 {item}").format(item=GOODS.one), several)


async def show_frame(state: FrameState) -> None:
    """Update the state with the current frame, and watch it for changes."""
    frame = await get_frame()
    for name in ("departments", "ages", "shop", "brand", "announcement", "footer"):
        if getattr(frame, name) != getattr(state, name):
            setattr(state, name, getattr(frame, name))
    watch(state, (), {Topic.CATEGORIES, Topic.CONTENT, Topic.SETTINGS})


def show_notice(frame: FrameState, text: str, tone: str = "problem") -> None:
    """Show a notice in this frame. `tone` is `problem` or `news`."""
    frame.notice = Notice(next_number(frame.notice.number), tone, text)


log = logging.getLogger(__name__)


async def notify(state: rx.State, text: str, tone: str = "problem") -> None:
    """Show a notice in the frame of this state's page. See `show_notice`."""
    show_notice(await state.get_state(FrameState), text, tone)


@asynccontextmanager
async def errors_as_notices(state: rx.State) -> AsyncIterator[None]:
    """Show an error that is raised in the block as a notice, and continue after the block.

    A press (an action of a page) that was already done is not an error: the page displays the current state. An
    unexpected error is logged, and counts as a failure of the page's socket.
    """
    try:
        yield
    except PressUsed:
        log.info("a repeated press was ignored")
    except ShopError as error:
        log.info("a customer's request was refused: %s: %s", type(error).__name__, error.message)
        await notify(state, text_for(error, NOTICE))
    except DatabaseUnavailable:
        await notify(state, SHOP_UNAVAILABLE)
    except Exception:
        log.exception("a customer's request failed")
        count_failure()
        await notify(state, FAILURE)


_answered_failures: LRUCache[str, bool] = LRUCache(10_000)
"""Ids of the events whose failure was shown. The event that shows a failure has the failed event as its parent."""


def handle_failure(exception: Exception) -> EventSpec | None:
    """Log the traceback, count the failure and show a notice. This is Reflex's `backend_exception_handler`.

    If showing this notice fails too, no second notice is shown.
    """
    count_failure()
    event_id, cause_id = current_event_ids()
    with log_scope(event_id=event_id):  # the scope of the event has already ended
        log.error("an event handler failed", exc_info=exception)
    if cause_id in _answered_failures:
        return None
    _answered_failures[event_id] = True
    return FrameState.show_failure()  # type: ignore[call-arg]
