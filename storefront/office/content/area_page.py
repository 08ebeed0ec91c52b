"""One area of Contenido: the form, what it would look like, and every version."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.content.areas import Area
from backend.content.links import LONGEST_LINK
from backend.core.texts import _
from backend.office.content.area_page import SavedRow
from backend.staff.rights import Right
from storefront.components.forms import Once, field_box
from storefront.office.components.feedback import chip, screen
from storefront.office.components.forms import edit_form, office_field, submit_bar
from storefront.office.content.area_preview import looks
from storefront.office.content.area_rows import FORM, GROUPS, SHOWN, TITLES
from storefront.office.content.area_state import AreaState
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import CONTENT
from storefront.office.state import answers, may
from storefront.reflex_ext.hooks import text_at

TITLE = _("Contenido")
HINTS = {
    Area.BANNER: _(
        "Sin destacados tuyos la tienda pone los suyos: los juguetes destacados que hay. "
        "Los juguetes que pongas van en lugar de esos; las imágenes, además."
    ),
    Area.ANNOUNCEMENT: _("Una línea arriba de todas las páginas. Sin texto no hay aviso."),
    Area.HOME: _("En qué orden van las secciones, y las que escribas tú."),
    Area.FOOTER: _("Lo que dices de la tienda y una lista tuya. Lo que pide la ley sigue ahí."),
}

MAIL_HINT = _(
    "El asunto, y lo que dices antes y después de lo que el correo cuenta. Lo que pide la ley sigue ahí."
)


def page() -> rx.Component:
    """The area of this address."""
    content = rx.el.div(
        rx.el.a(icon("left", size=18), _("Todo el contenido"), href=CONTENT, class_name="o-disclosure"),
        rx.el.h2(SHOWN.title),
        rx.el.p(rx.match(SHOWN.area, *HINTS.items(), MAIL_HINT), class_name="o-row__detail"),
        rx.cond(may(Right.CHANGE_CONTENT), editor(), rx.fragment()),
        rx.cond(AreaState.theirs, conflict()),
        rx.cond(AreaState.preview, preview()),
        versions(),
        class_name="o-content",
    )
    return office(AreaState, CONTENT, TITLE, screen(AreaState, content), undo=AreaState.undo)


def editor() -> rx.Component:
    """The form. Its button shows what it would look like: nothing is published before that was seen."""
    fields = rx.match(
        SHOWN.area,
        (Area.BANNER, GROUPS[Area.BANNER]()),
        (Area.HOME, GROUPS[Area.HOME]()),
        (Area.ANNOUNCEMENT, announcement()),
        (Area.FOOTER, footer()),
        mail(),
    )
    return edit_form(
        AreaState,
        AreaState.look,
        fields,
        rx.el.datalist(
            rx.foreach(SHOWN.titles, lambda title: rx.el.option(value=title, key=title)),
            id=rx.Var.create(TITLES),
        ),
        end=look_bar(),
        is_good=False,  # what was typed stays until it is published
        on_discard=AreaState.start_over,
        class_name="o-panel o-form",
        key=f"{SHOWN.area}-{SHOWN.version}",
    )


def typed(name: str, label: str, **more: Any) -> rx.Component:
    """A line of the form that stands once."""
    return office_field(
        AreaState, FORM, name, label, **{"default_value": SHOWN.texts[name], "auto_complete": "off", **more}
    )


def announcement() -> rx.Component:
    """The fields of the line above every page."""
    return rx.fragment(
        typed("text", _("Texto"), is_optional=True),
        typed(
            "link",
            _("Enlace"),
            is_optional=True,
            max_length=LONGEST_LINK,
            placeholder="/catalog",
            input_mode="url",
            auto_capitalize="none",
            spell_check=False,
        ),
        rx.el.div(
            typed("starts", _("Primer día"), type="date", is_optional=True),
            typed("ends", _("Último día"), type="date", is_optional=True, hint=_("Termina sola esa noche.")),
            class_name="o-areas__days",
        ),
    )


def footer() -> rx.Component:
    """The fields of the footer."""
    return rx.fragment(
        typed("about", _("De la tienda"), is_optional=True, hint=_("Vacío: la frase de los ajustes.")),
        typed("title", _("Título de tu lista"), is_optional=True),
        GROUPS[Area.FOOTER](),
    )


def mail() -> rx.Component:
    """The fields of a mail."""

    def words(name: str, label: str, *hint: rx.Component) -> rx.Component:
        element_id, problem = f"{FORM}-{name}", text_at(AreaState.problems, name)
        area = rx.el.textarea(
            id=rx.Var.create(element_id),
            name=name,
            default_value=SHOWN.texts[name],
            rows="4",
            class_name="field__input",
            custom_attrs={"aria-invalid": rx.cond(problem, "true", "false")},
        )
        return field_box(
            label, area, *hint, element_id=element_id, problem=problem, is_optional=True, live=""
        )

    names = rx.el.p(_("Puedes nombrar: "), SHOWN.names, class_name="field__hint")
    return rx.fragment(
        typed("subject", _("Asunto"), is_optional=True, hint=_("Vacío: el de la tienda.")),
        words("opening", _("Al comienzo")),
        words("closing", _("Al final"), names),
    )


@rx.memo
def look_bar() -> rx.Component:
    """Shows what was typed as the shop would, or drops it; there while something was changed."""
    return submit_bar(_("Ver cómo queda"), _("Un momento…"), "dark", "look")


def conflict() -> rx.Component:
    """What somebody else published, beside what was looked at."""
    return rx.el.section(
        looks(AreaState.theirs, "area-theirs"),
        Once.create(
            rx.el.button(
                _("Dejar lo de ellos"),
                type="button",
                on_click=AreaState.start_over,
                data_once="",
                class_name="button button--small button--quiet",
            ),
            answers=answers(AreaState),
        ),
        class_name="o-panel o-section",
        data_testid="area-conflict",
    )


def preview() -> rx.Component:
    """What it would look like, and the button that publishes it."""
    shown = AreaState.preview
    publish = rx.el.button(
        rx.cond(AreaState.theirs, _("Publicar lo mío"), _("Publicar")),
        type="button",
        on_click=AreaState.publish,
        data_once="",
        class_name="button button--small button--primary",
        data_testid="save",
    )
    return rx.el.section(
        looks(AreaState.preview, "area-preview"),
        rx.cond(
            may(Right.CHANGE_CONTENT),
            rx.cond(
                shown.version < 0,
                Once.create(publish, answers=answers(AreaState)),
                Once.create(come_back(shown.version), answers=answers(AreaState)),
            ),
        ),
        class_name="o-panel o-section",
        custom_attrs={"aria-live": "polite"},
    )


def come_back(version: rx.Var[int]) -> rx.Component:
    """Puts an earlier version into force again."""
    return rx.el.button(
        _("Volver a esta"),
        type="button",
        on_click=AreaState.restore(version),
        data_once="",
        class_name="button button--small button--quiet",
        data_testid="area-restore",
    )


def versions() -> rx.Component:
    """Every version, each of which can be looked at and come back."""

    def one(row: ObjectVar[SavedRow]) -> rx.Component:
        look = rx.el.button(
            _("Ver"),
            rx.el.span(_("la versión {version}").format(version=row.version), class_name="sr-only"),
            type="button",
            on_click=AreaState.show_version(row.version),
            class_name="button button--small button--quiet",
        )
        return rx.el.li(
            rx.el.span(
                rx.el.span(_("Versión {version}").format(version=row.version), class_name="o-row__title"),
                rx.el.span(row.label, rx.cond(row.by != "", " · ", ""), row.by, class_name="o-row__detail"),
            ),
            rx.cond(row.is_current, chip(_("Vigente"), "good"), look),
            key=row.version,
            class_name="o-content__version",
        )

    return rx.el.section(
        rx.el.h3(_("Versiones")),
        rx.el.ol(rx.foreach(SHOWN.versions, one), class_name="o-content__versions"),
        class_name="o-panel o-section",
    )
