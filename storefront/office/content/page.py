"""Contenido: what the office says in the shop, and the legal texts with each of their versions."""

from typing import Any, ClassVar
from urllib.parse import parse_qs

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.errors import Conflict, InvalidData, NotFound
from backend.core.texts import _
from backend.legal.texts import (
    LONGEST_TEXT,
    LegalKind,
    TextVersion,
    as_html,
    filled,
    require_source,
    restore_text,
    save_text,
)
from backend.office.content.area_page import AreaSummary
from backend.office.content.page import ContentPage, TextRow, TextView, VersionRow, content_page
from backend.staff.rights import Actor, Right
from storefront.components.forms import field_box
from storefront.office.components.feedback import chip, screen
from storefront.office.components.forms import edit_form
from storefront.office.components.lists import row_link, rows
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import AREAS, CONTENT
from storefront.office.state import OfficeScreen, may, office_event
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_number

TITLE = _("Contenido")
MOST_VERSIONS = 10**6


class ContentState(OfficeScreen, KnownClientState):
    """The texts, and the one that is being changed."""

    content: rx.Field[ContentPage | None] = rx.field(None)
    preview: rx.Field[str] = rx.field("")
    """What the text that is being typed looks like; empty while it is the one that is shown."""

    _right: ClassVar[Right] = Right.READ_SETTINGS

    async def _content(self, actor: Actor) -> ContentPage:
        asked = parse_qs(self.router.url.query)
        kind, version = (asked.get(name, [""])[0] for name in ("text", "version"))
        shop = current_shop()
        effective = await shop.effective_settings.now()
        self.preview = ""
        async with shop.database.read() as session:
            number = int(version) if version.isascii() and version.isdigit() and len(version) < 7 else 0
            return await content_page(session, actor, effective, kind[:20], number)

    @office_event(Right.CHANGE_SETTINGS, supersedes=True, debounce=400)
    async def look(self, actor: Actor, source: str) -> None:
        """Show what the text would look like."""
        actor.require(Right.CHANGE_SETTINGS)
        shown = self._opened_text()
        if not isinstance(source, str) or len(source) > LONGEST_TEXT:
            raise InvalidData("not a text")
        typed = TextVersion(LegalKind(shown.kind), shown.current, source)
        self.preview = as_html(filled(typed, await current_shop().effective_settings.now()).text)

    @office_event(Right.CHANGE_SETTINGS)
    async def save(self, actor: Actor, form_data: dict[str, str]) -> Any:
        """Put what was typed into force, as a new version."""
        typed = checked_fields(form_data, "source", "is_reviewed", longest=LONGEST_TEXT)
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
            self._tell(_("Alguien guardó otra versión antes. Copia tu texto y recarga la página."), "problem")
            return None
        return await self._saved(actor, saved)

    @office_event(Right.CHANGE_SETTINGS)
    async def restore(self, actor: Actor, version: int) -> Any:
        """Put an earlier version into force again, as a new one."""
        shown, version = self._opened_text(), checked_number(version, 1, MOST_VERSIONS)
        async with current_shop().database.transaction() as session:
            saved = await restore_text(session, actor, LegalKind(shown.kind), version, seen=shown.current)
        return await self._saved(actor, saved)

    async def _saved(self, actor: Actor, saved: TextVersion) -> Any:
        self._tell(_("Versión {version} publicada. Ya se ve en la tienda.").format(version=saved.version))
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


SHOWN = ContentState.content
OPENED = SHOWN.opened


def page() -> rx.Component:
    """The texts."""
    content = rx.cond(
        SHOWN.opened,
        opened(),
        rx.fragment(
            rows(SHOWN.areas, area_row, rx.fragment(), label=_("En la tienda")),
            rx.el.h2(_("Textos legales"), class_name="o-section__title o-content__part"),
            rx.el.p(
                _(
                    "Los textos legales de la tienda. Cada vez que guardas queda una versión nueva, y las anteriores "
                    "se conservan: son las que aceptó quien compró."
                ),
                class_name="o-row__detail",
            ),
            rows(SHOWN.texts, row, rx.fragment(), label=TITLE),
        ),
    )
    return office(ContentState, CONTENT, TITLE, screen(ContentState, content))


def reviewed(is_reviewed: Any) -> rx.Component:
    """Whether a lawyer has confirmed a text."""
    return rx.cond(
        is_reviewed, chip(_("Confirmado"), "good"), chip(_("Falta que un abogado lo confirme"), "wait")
    )


def area_row(area: ObjectVar[AreaSummary]) -> rx.Component:
    """An area of content in the list."""
    names = [(named, f"{CONTENT}/{name}") for name, named in AREAS.items()]
    return row_link(
        rx.match(area.area, *names, CONTENT),
        rx.el.span(area.title, class_name="o-row__title"),
        rx.el.span(area.detail, class_name="o-row__detail"),
        row_id=area.area,
        test_id="area-link",
    )


def row(text: ObjectVar[TextRow]) -> rx.Component:
    """A text in the list."""
    return row_link(
        f"{CONTENT}?text={text.kind}",
        rx.el.span(text.title, class_name="o-row__title"),
        rx.el.span(_("Versión {version}").format(version=text.version), class_name="o-row__detail"),
        reviewed(text.is_reviewed),
        row_id=text.kind,
        test_id="text-row",
    )


def opened() -> rx.Component:
    """A text: what it says, what it looks like, and its versions."""
    return rx.el.div(
        rx.el.a(icon("left", size=18), _("Todos los textos"), href=CONTENT, class_name="o-disclosure"),
        rx.el.div(rx.el.h2(OPENED.title), reviewed(OPENED.is_reviewed), class_name="o-content__head"),
        rx.cond(may(Right.CHANGE_SETTINGS), editor(), rx.fragment()),
        rx.el.section(
            rx.el.h3(_("Así se ve en la tienda")),
            rx.html(
                rx.cond(ContentState.preview != "", ContentState.preview, OPENED.html),
                class_name="o-content__text",
                custom_attrs={"lang": "es-CO", "data-testid": "text-preview"},
            ),
            class_name="o-panel o-section",
        ),
        versions(),
        class_name="o-content",
    )


def editor() -> rx.Component:
    """The form with the text."""
    element_id, problem = "text-source", text_at(ContentState.problems, "source")
    area = rx.el.textarea(
        id=rx.Var.create(element_id),
        name="source",
        default_value=OPENED.source,
        on_change=ContentState.look,
        rows="18",
        max_length=LONGEST_TEXT,
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
                OPENED.data,
                class_name="field__hint",
            ),
            element_id=element_id,
            problem=problem,
            live="",
        ),
        rx.el.label(
            rx.el.input(type="checkbox", name="is_reviewed", default_checked=OPENED.is_reviewed),
            rx.el.span(_("Un abogado lo confirmó")),
            class_name="o-content__check",
        ),
        class_name="o-panel o-form",
        key=f"{OPENED.kind}-{OPENED.current}-{OPENED.shown}",
    )


def versions() -> rx.Component:
    """Every version, each of which can be looked at and come back."""

    def one(version: ObjectVar[VersionRow]) -> rx.Component:
        restored = rx.cond(
            ~version.is_current & may(Right.CHANGE_SETTINGS),
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
                    href=f"{CONTENT}?text={OPENED.kind}&version={version.version}",
                    class_name="o-row__title",
                ),
                rx.el.span(
                    version.label,
                    rx.cond(version.by != "", " · ", ""),
                    version.by,
                    class_name="o-row__detail",
                ),
            ),
            rx.cond(version.is_current, chip(_("Vigente"), "good"), restored),
            key=version.version,
            class_name="o-content__version",
        )

    return rx.el.section(
        rx.el.h3(_("Versiones")),
        rx.el.ol(rx.foreach(OPENED.versions, one), class_name="o-content__versions"),
        class_name="o-panel o-section",
    )
