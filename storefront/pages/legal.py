"""The legal texts, one page each. Each has its version, its start date, and the company that runs the shop."""

from dataclasses import dataclass
from html import unescape
from re import sub

import reflex as rx

from backend.app import current_shop
from backend.core.dates import date_label
from backend.core.texts import _
from backend.legal.texts import TITLES, FilledText, LegalKind, current_text, fill_text, to_html
from storefront.components.frame import page_frame
from storefront.components.placeholders import loaded_content, skeleton_bar
from storefront.links import LEGAL_LINKS, legal_path, sic_link
from storefront.meta import NOINDEX, DocumentMeta, absolute_url, shorten_text
from storefront.pages import not_found
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.state.frame import FrameState


@dataclass(frozen=True, slots=True)
class LegalPage:
    """A legal text for display. The title is empty if no text has this URL.

    `html` is generated from Markdown; HTML in the Markdown is not passed through.
    """

    title: str = ""
    html: str = ""
    in_force: str = ""
    is_reviewed: bool = True


def to_legal_page(text: FilledText) -> LegalPage:
    """Convert a legal text for display."""
    in_force = _("Versión {version}").format(version=text.version)
    if text.saved_at is not None:
        since = date_label(text.saved_at)
        in_force = _("Versión {version}, vigente desde el {date}").format(version=text.version, date=since)
    return LegalPage(TITLES[text.kind], to_html(text.text), in_force, text.is_reviewed)


async def load(params: PageParams) -> PageData[LegalPage]:
    """Read the legal text of this URL. If there is none, the page displays a "not found" message instead."""
    if params.last_part not in tuple(LegalKind):
        return PageData(LegalPage(), DocumentMeta(title=not_found.TITLE, status=404, robots=NOINDEX))
    kind, shop = LegalKind(params.last_part), current_shop()
    effective = await shop.effective_settings.now()
    async with shop.database.read() as session:
        shown = to_legal_page(fill_text(await current_text(session, kind), effective))
    words = shorten_text(unescape(sub(r"<[^>]+>", " ", shown.html)))
    meta = DocumentMeta(title=shown.title, description=words, canonical=absolute_url(legal_path(kind)))
    return PageData(shown, meta)


class LegalState(PageState, rx.State):
    """State of a legal text's page: the displayed text."""

    content: rx.Field[LegalPage] = rx.field(default_factory=LegalPage)

    async def _data(self, params: PageParams) -> PageData[LegalPage]:
        return await load(params)


SHOWN = LegalState.content


def page() -> rx.Component:
    """Build the whole page."""
    skeleton = rx.el.div(skeleton_bar("60%", "2rem"), skeleton_bar("100%", "20rem"), aria_hidden="true")
    return page_frame(
        loaded_content(
            LegalState.is_ready,
            LegalState.has_failed,
            LegalState.load,
            skeleton,
            rx.cond(SHOWN.title != "", legal_text(), not_found.not_found_message()),
        ),
        class_name="main--legal",
    )


def legal_text() -> rx.Component:
    """Build the text, the links to the other texts, and the link to the supervising authority."""
    others = [rx.el.li(rx.el.a(label, href=path)) for path, label in LEGAL_LINKS]
    return rx.el.div(
        rx.el.article(
            rx.el.h1(SHOWN.title, class_name="page-title"),
            rx.el.p(SHOWN.in_force, class_name="legal__since"),
            rx.cond(
                SHOWN.is_reviewed,
                rx.fragment(),
                rx.el.p(
                    _("Texto modelo: falta que un abogado lo confirme."),
                    class_name="legal__draft",
                    data_testid="legal-draft",
                ),
            ),
            rx.html(SHOWN.html, class_name="legal__text", custom_attrs={"lang": "es-CO"}),
            class_name="legal__article",
        ),
        rx.el.nav(
            rx.el.h2(_("Todo lo legal"), class_name="legal__title"),
            rx.el.ul(*others),
            rx.el.p(FrameState.shop.legal),
            rx.el.p(sic_link()),
            class_name="legal__others",
            aria_label=_("Todo lo legal"),
        ),
        class_name="legal",
    )
