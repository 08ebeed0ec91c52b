"""The state around every page: the departments of the menu, and the notices by which handlers tell of errors."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import reflex as rx
from cachetools import LRUCache
from reflex.event import EventSpec

from backend.app import Shop, current_shop
from backend.catalog.category_tree import category_tree
from backend.catalog.views import CategoryNode
from backend.content.current_content import Announcement, Footer
from backend.core.config.settings import Settings
from backend.core.error_texts import FAILURE, NOTICE, text_for
from backend.core.errors import (
    ShopError,
)
from backend.core.observability.logs import log_scope
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from backend.core.web.contact import COUNTRY_CODE, phone_digits
from backend.news.topics import Topic
from backend.presses.service import PressUsed
from storefront.live.open_pages import watch
from storefront.reflex_ext.event_processor import current_event_ids
from storefront.reflex_ext.socket_guard import count_failure
from storefront.state.handlers import event, next_number

COMING_BACK = _("La tienda vuelve en un momento. Inténtalo otra vez en unos segundos.")


@dataclass(frozen=True, slots=True)
class Notice:
    """A message to the shopper. `number` tells one from the next; `tone` is `problem` or `news`."""

    number: int = 0
    tone: str = "news"
    text: str = ""


BOGOTA = "11001000"
"""The code of its municipality."""
LONG_WORD = 8
"""Letters of a shop's name that fit into one line, at 320 pixels."""


@dataclass(frozen=True, slots=True)
class ShopShown:
    """What every page says of the shop. Addresses are for links; empty texts are not shown.

    `site` is the address that the shop is reached at, without a slash at its end.

    A long name has a word that does not fit beside the buttons of the smallest phone in the usual size.
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


@dataclass(frozen=True, slots=True)
class Frame:
    """What is around every page."""

    departments: list[CategoryNode]
    shop: ShopShown
    announcement: Announcement
    footer: Footer

    def as_state(self) -> dict[str, Any]:
        """The values of `FrameState`, by the names of its variables; where the office says nothing, nothing of it."""
        values: dict[str, Any] = {"departments": self.departments, "shop": self.shop}
        if self.announcement.text:
            values["announcement"] = self.announcement
        if self.footer != Footer():
            values["footer"] = self.footer
        return values


async def frame_values() -> Frame:
    """The frame as it is now, read again only after something of the catalogue, the content or the settings changed."""
    shop = current_shop()
    return await shop.catalog_version.cached("frame", lambda: _read_frame(shop))


async def _read_frame(shop: Shop) -> Frame:
    async with shop.database.read() as session:
        departments = await category_tree(session)
    content = await shop.content.now()
    return Frame(
        departments, shop_shown(await shop.effective_settings.now()), content.announcement, content.footer
    )


def shop_shown(effective: Settings) -> ShopShown:
    """What pages say of the shop, from its effective settings."""
    dial = effective.store_phone.replace(" ", "")
    return ShopShown(
        name=effective.store_name,
        site=effective.base_url,
        has_long_name=any(len(word) > LONG_WORD for word in effective.store_name.split()),
        legal=f"{effective.store_legal_name} · NIT {effective.store_nit}",
        phone=effective.store_phone,
        phone_link=f"tel:{dial if dial.startswith('+') else '+57' + dial}",
        email=effective.store_email,
        email_link=f"mailto:{effective.store_email}",
        whatsapp_link=_whatsapp_link(effective.store_whatsapp),
        address=effective.store_address,
        about=effective.store_about or _about(effective),
        hours=effective.store_hours or _("Lunes a viernes, 8 a. m. a 5 p. m."),
    )


def _whatsapp_link(number: str) -> str:
    """Where one writes to this number, which may lack Colombia's code; empty without one."""
    national = phone_digits(number)
    whole = f"{COUNTRY_CODE}{national}" if national else "".join(filter(str.isdigit, number))
    return f"https://wa.me/{whole}" if whole else ""


def _about(effective: Settings) -> str:
    if effective.carrier_origin_dane_code == BOGOTA:
        return _("Juguetes que duran más de una infancia, escogidos uno por uno y despachados desde Bogotá.")
    return _("Juguetes que duran más de una infancia, escogidos uno por uno.")


class FrameState(rx.State):
    """The frame of the page."""

    departments: rx.Field[list[CategoryNode]] = rx.field(default_factory=list)
    shop: rx.Field[ShopShown] = rx.field(default_factory=ShopShown)
    notice: rx.Field[Notice] = rx.field(default_factory=Notice)
    announcement: rx.Field[Announcement] = rx.field(default_factory=Announcement)
    footer: rx.Field[Footer] = rx.field(default_factory=Footer)

    async def _update(self) -> None:
        """The office said something else: see `storefront.live.refresh`."""
        await show_frame(self)

    @event()
    def show_failure(self) -> None:
        """Show that something unexpected went wrong."""
        show_notice(self, FAILURE)


async def show_frame(state: FrameState) -> None:
    """Show the departments and what is said of the shop, as they are now and whenever that changes."""
    frame = await frame_values()
    for name in ("departments", "shop", "announcement", "footer"):
        if getattr(frame, name) != getattr(state, name):
            setattr(state, name, getattr(frame, name))
    watch(state, (), {Topic.CONTENT, Topic.SETTINGS})


def show_notice(frame: FrameState, text: str, tone: str = "problem") -> None:
    """Show a notice."""
    frame.notice = Notice(next_number(frame.notice.number), tone, text)


log = logging.getLogger(__name__)


async def notify(state: rx.State, text: str, tone: str = "problem") -> None:
    """Show a notice to the shopper of this state. `tone`: `problem` or `news`."""
    show_notice(await state.get_state(FrameState), text, tone)


@asynccontextmanager
async def errors_as_notices(state: rx.State) -> AsyncIterator[None]:
    """Show any error inside the block as a notice, and go on after the block.

    A press that was done before is no error: the page shows how things stand. Unexpected errors are logged, and count
    against the page's socket.
    """
    try:
        yield
    except PressUsed:
        log.info("a press was done before")
    except ShopError as error:
        log.info("a shopper's request was refused: %s: %s", type(error).__name__, error.message)
        await notify(state, text_for(error, NOTICE))
    except DatabaseUnavailable:
        await notify(state, COMING_BACK)
    except Exception:
        log.exception("a shopper's request failed")
        count_failure()
        await notify(state, FAILURE)


_answered: LRUCache[str, bool] = LRUCache(10_000)
"""The events whose failure was answered. An answer has the event it answers as its parent."""


def handle_failure(exception: Exception) -> EventSpec | None:
    """Reflex's `backend_exception_handler`: logs the traceback, counts the failure and shows a notice.

    What fails while it shows that notice is not answered again.
    """
    count_failure()
    event_id, cause_id = current_event_ids()
    with log_scope(event_id=event_id):  # it has left that of the event
        log.error("an event handler failed", exc_info=exception)
    if cause_id in _answered:
        return None
    _answered[event_id] = True
    return FrameState.show_failure()  # type: ignore[call-arg]
