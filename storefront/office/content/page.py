"""The content screen (Contenido): links to the content areas, and the legal texts with all their versions."""

from typing import Any, ClassVar
from urllib.parse import parse_qs

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.errors import Conflict, InvalidData, NotFound
from backend.core.texts import _
from backend.legal.texts import (
    MAX_TEXT_LENGTH,
    LegalKind,
    TextVersion,
    fill_text,
    require_source,
    restore_text,
    save_text,
    to_html,
)
from backend.office.content.area_page import AreaSummary
from backend.office.content.page import ContentPage, TextRow, TextView, VersionRow, content_page
from backend.staff.rights import Actor, Right
from storefront.components.forms import field_box
from storefront.office.components.feedback import chip, screen
from storefront.office.components.forms import edit_form
from storefront.office.components.lists import row_link, rows
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import AREAS, CONTENT
from storefront.office.state import OfficeScreen, has_right, office_event
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_number

TITLE = _("Contenido")
MAX_VERSION = 10**6


class ContentState(OfficeScreen, KnownClientState):
    """State of the content screen: the list of legal texts, and the legal text that is open for editing."""

    content: rx.Field[ContentPage | None] = rx.field(None)
    preview: rx.Field[str] = rx.field("")
    """The typed text as HTML; empty until something is typed."""

    _right: ClassVar[Right] = Right.READ_SETTINGS

    async def _read_content(self, actor: Actor) -> ContentPage:
        query = parse_qs(self.router.url.query)
        kind, version = (query.get(name, [""])[0] for name in ("text", "version"))
        shop = current_shop()
        effective = await shop.effective_settings.now()
        self.preview = ""
        async with shop.database.read() as session:
            number = int(version) if version.isascii() and version.isdigit() and len(version) < 7 else 0
            return await content_page(session, actor, effective, kind[:20], number)

    @office_event(Right.CHANGE_SETTINGS, supersedes=True, debounce=400)
    async def preview_text(self, actor: Actor, source: str) -> None:
        """Preview the typed text."""
        actor.require(Right.CHANGE_SETTINGS)
        shown = self._opened_text()
        if not isinstance(source, str) or len(source) > MAX_TEXT_LENGTH:
            raise InvalidData("not a text")
        typed = TextVersion(LegalKind(shown.kind), shown.current, source)
        self.preview = to_html(fill_text(typed, await current_shop().effective_settings.now()).text)

    @office_event(Right.CHANGE_SETTINGS)
    async def save(self, actor: Actor, form_data: dict[str, str]) -> Any:
        """Publish the typed text as a new version."""
        typed = checked_fields(form_data, "source", "is_reviewed", max_length=MAX_TEXT_LENGTH)
        shown = self._opened_text()
        self.problems = {}
        try:
            source = require_source(typed["source"])
            async with current_shop().database.transaction() as session:
                saved = await save_text(
                    session,
                    actor,
                    LegalKind(shown.kind),
                    source,
                    seen=shown.current,
                    is_reviewed=typed["is_reviewed"] == "on",
                )
        except Conflict:
            self._announce(
                _("Alguien guardó otra versión antes. Copia tu texto y recarga la página."), "problem"
            )
            return None
        return await self._show_saved(actor, saved)

    @office_event(Right.CHANGE_SETTINGS)
    async def restore(self, actor: Actor, version: int) -> Any:
        """Publish an earlier version again, as a new version."""
        shown, version = self._opened_text(), checked_number(version, 1, MAX_VERSION)
        async with current_shop().database.transaction() as session:
            saved = await restore_text(session, actor, LegalKind(shown.kind), version, seen=shown.current)
        return await self._show_saved(actor, saved)

    async def _show_saved(self, actor: Actor, saved: TextVersion) -> Any:
        self._announce(_("Versión {version} publicada. Ya se ve en la tienda.").format(version=saved.version))
        shop = current_shop()
        async with shop.database.read() as session:
            self.content = await content_page(session, actor, await shop.effective_settings.now(), saved.kind)
        self.preview = ""
        return rx.redirect(f"{CONTENT}?text={saved.kind}", replace=True)

    def _opened_text(self) -> TextView:
        shown = self.content
        if shown is None or shown.opened is None:
            raise NotFound("no text is open")
        return shown.opened


VIEW = ContentState.content
OPENED_TEXT = VIEW.opened


def page() -> rx.Component:
    """Render the list of content, or the opened text."""
    content = rx.cond(
        VIEW.opened,
        opened_text(),
        rx.fragment(
            rows(VIEW.areas, area_row, rx.fragment(), label=_("En la tienda")),
            rx.el.h2(_("Textos legales"), class_name="o-section__title o-content__part"),
            rx.el.p(
                _(
                    "Los textos legales de la tienda. Cada vez que guardas queda una versión nueva, y las anteriores "
                    "se conservan: son las que aceptó quien compró."
                ),
                class_name="o-row__detail",
            ),
            rows(VIEW.texts, text_row, rx.fragment(), label=TITLE),
        ),
    )
    return office_layout(ContentState, CONTENT, TITLE, screen(ContentState, content))


def review_chip(is_reviewed: Any) -> rx.Component:
    """Render a chip that says if a lawyer has confirmed a text."""
    return rx.cond(
        is_reviewed, chip(_("Confirmado"), "good"), chip(_("Falta que un abogado lo confirme"), "wait")
    )


def area_row(area: ObjectVar[AreaSummary]) -> rx.Component:
    """Render a link to a content area, as a row of the list."""
    names = [(named, f"{CONTENT}/{name}") for name, named in AREAS.items()]
    return row_link(
        rx.match(area.area, *names, CONTENT),
        rx.el.span(area.title, class_name="o-row__title"),
        rx.el.span(area.detail, class_name="o-row__detail"),
        row_id=area.area,
        test_id="area-link",
    )


def text_row(text: ObjectVar[TextRow]) -> rx.Component:
    """Render a legal text of the list."""
    return row_link(
        f"{CONTENT}?text={text.kind}",
        rx.el.span(text.title, class_name="o-row__title"),
        rx.el.span(_("Versión {version}").format(version=text.version), class_name="o-row__detail"),
        review_chip(text.is_reviewed),
        row_id=text.kind,
        test_id="text-row",
    )


def opened_text() -> rx.Component:
    """Render a legal text: its form, its preview and its versions."""
    return rx.el.div(
        rx.el.a(icon("left", size=18), _("Todos los textos"), href=CONTENT, class_name="o-disclosure"),
        rx.el.div(
            rx.el.h2(OPENED_TEXT.title), review_chip(OPENED_TEXT.is_reviewed), class_name="o-content__head"
        ),
        rx.cond(has_right(Right.CHANGE_SETTINGS), text_form(), rx.fragment()),
        rx.el.section(
            rx.el.h3(_("Así se ve en la tienda")),
            rx.html(
                rx.cond(ContentState.preview != "", ContentState.preview, OPENED_TEXT.html),
                class_name="o-content__text",
                custom_attrs={"lang": "es-CO", "data-testid": "text-preview"},
            ),
            class_name="o-panel o-section",
        ),
        versions_panel(),
        class_name="o-content",
    )


def text_form() -> rx.Component:
    """Render the form in which staff edit a legal text."""
    element_id, problem = "text-source", text_at(ContentState.problems, "source")
    area = rx.el.textarea(
        id=rx.Var.create(element_id),
        name="source",
        default_value=OPENED_TEXT.source,
        on_change=ContentState.preview_text,
        rows="18",
        max_length=MAX_TEXT_LENGTH,
        class_name="field__input o-content__source",
        spell_check=True,
        custom_attrs={"aria-invalid": rx.cond(problem, "true", "false"), "lang": "es-CO"},
    )
    return edit_form(
        ContentState,
        ContentState.save,
        field_box(
            _("Texto"),
            area,
            rx.el.p(
                _("Markdown: «## Título», «- punto», «**negrilla**». Datos de la tienda: "),
                OPENED_TEXT.data,
                class_name="field__hint",
            ),
            element_id=element_id,
            problem=problem,
            live="",
        ),
        rx.el.label(
            rx.el.input(type="checkbox", name="is_reviewed", default_checked=OPENED_TEXT.is_reviewed),
            rx.el.span(_("Un abogado lo confirmó")),
            class_name="o-content__check",
        ),
        class_name="o-panel o-form",
        key=f"{OPENED_TEXT.kind}-{OPENED_TEXT.current}-{OPENED_TEXT.shown}",
    )


def versions_panel() -> rx.Component:
    """Render every version, with links to show or restore it."""

    def version_row(version: ObjectVar[VersionRow]) -> rx.Component:
        restored = rx.cond(
            ~version.is_current & has_right(Right.CHANGE_SETTINGS),
            rx.el.button(
                _("Volver a esta"),
                type="button",
                on_click=ContentState.restore(version.version),
                class_name="button button--small button--quiet",
                data_testid="text-restore",
            ),
        )
        return rx.el.li(
            rx.el.span(
                rx.el.a(
                    _("Versión {version}").format(version=version.version),
                    href=f"{CONTENT}?text={OPENED_TEXT.kind}&version={version.version}",
                    class_name="o-row__title",
                ),
                rx.el.span(
                    version.label,
                    rx.cond(version.saved_by != "", " · ", ""),
                    version.saved_by,
                    class_name="o-row__detail",
                ),
            ),
            rx.cond(version.is_current, chip(_("Vigente"), "good"), restored),
            key=version.version,
            class_name="o-content__version",
        )

    return rx.el.section(
        rx.el.h3(_("Versiones")),
        rx.el.ol(rx.foreach(OPENED_TEXT.versions, version_row), class_name="o-content__versions"),
        class_name="o-panel o-section",
    )
