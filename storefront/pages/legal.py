"""The legal texts, one page each: in force since when, in which version, and who is behind the shop."""

from dataclasses import dataclass
from html import unescape
from re import sub

import reflex as rx

from backend.app import current_shop
from backend.core.dates import date_label
from backend.core.texts import _
from backend.legal.texts import TITLES, FilledText, LegalKind, as_html, current_text, filled
from storefront.components.frame import framed
from storefront.components.placeholders import bar, until
from storefront.links import LEGAL_LINKS, legal_path, sic_link
from storefront.meta import NOINDEX, DocumentMeta, absolute, shortened
from storefront.pages import not_found
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.state.frame import FrameState


@dataclass(frozen=True, slots=True)
class LegalPage:
    """A text as it is shown; without a title there is none at the address.

    `html` is made of Markdown and holds no HTML of anybody else's.
    """

    title: str = ""
    html: str = ""
    in_force: str = ""
    is_reviewed: bool = True


def legal_page(text: FilledText) -> LegalPage:
    """The text as it is shown."""
    in_force = _("Versión {version}").format(version=text.version)
    if text.saved_at is not None:
        since = date_label(text.saved_at)
        in_force = _("Versión {version}, vigente desde el {date}").format(version=text.version, date=since)
    return LegalPage(TITLES[text.kind], as_html(text.text), in_force, text.is_reviewed)


async def load(params: PageParams) -> PageData[LegalPage]:
    """The text of this address. An unknown one is content of its own, not a failure."""
    if params.tail not in tuple(LegalKind):
        return PageData(LegalPage(), DocumentMeta(title=not_found.TITLE, status=404, robots=NOINDEX))
    kind, shop = LegalKind(params.tail), current_shop()
    effective = await shop.effective_settings.now()
    async with shop.database.read() as session:
        shown = legal_page(filled(await current_text(session, kind), effective))
    words = shortened(unescape(sub(r"<[^>]+>", " ", shown.html)))
    meta = DocumentMeta(title=shown.title, description=words, canonical=absolute(legal_path(kind)))
    return PageData(shown, meta)


class LegalState(PageState, rx.State):
    """The text that is shown."""

    content: rx.Field[LegalPage] = rx.field(default_factory=LegalPage)

    async def _data(self, params: PageParams) -> PageData[LegalPage]:
        return await load(params)


SHOWN = LegalState.content


def page() -> rx.Component:
    """The whole page."""
    skeleton = rx.el.div(bar("60%", "2rem"), bar("100%", "20rem"), aria_hidden="true")
    return framed(
        until(
            LegalState.is_ready,
            LegalState.has_failed,
            LegalState.load,
            skeleton,
            rx.cond(SHOWN.title != "", text(), not_found.words()),
        ),
        class_name="main--legal",
    )


def text() -> rx.Component:
    """The text, the ways to the others, and who keeps watch over the shop."""
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
