"""Components of a content area's screen: the form, its preview, and the list of versions."""

from typing import Any

import reflex as rx

from backend.content.areas import Area
from backend.content.links import MAX_LINK_CHARS
from backend.core.texts import _
from backend.staff.rights import Right
from storefront.components.forms import field_box
from storefront.office.components.feedback import screen
from storefront.office.components.forms import edit_form, office_field, submit_bar
from storefront.office.content.area_rows import FORM, ROW_GROUPS, VIEW
from storefront.office.content.area_state import AreaState
from storefront.office.content.version_panels import conflict_panel, preview_panel, versions_panel
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import CONTENT
from storefront.office.state import has_right
from storefront.reflex_ext.hooks import text_at

TITLE = _("Contenido")
HINTS = {
    Area.BANNER: _(
        "Sin destacados tuyos la tienda pone los suyos: los productos destacados que hay. "
        "Los productos que pongas van en lugar de esos; las imágenes, además."
    ),
    Area.ANNOUNCEMENT: _("Una línea arriba de todas las páginas. Sin texto no hay aviso."),
    Area.HOME: _("En qué orden van las secciones, y las que escribas tú."),
    Area.FOOTER: _("Lo que dices de la tienda y una lista tuya. Lo que pide la ley sigue ahí."),
}

MAIL_HINT = _(
    "El asunto, y lo que dices antes y después de lo que el correo cuenta. Lo que pide la ley sigue ahí."
)


def page() -> rx.Component:
    """Render the screen of the content area in the URL."""
    content = rx.el.div(
        rx.el.a(icon("left", size=18), _("Todo el contenido"), href=CONTENT, class_name="o-disclosure"),
        rx.el.h2(VIEW.title),
        rx.el.p(rx.match(VIEW.area, *HINTS.items(), MAIL_HINT), class_name="o-row__detail"),
        rx.cond(has_right(Right.CHANGE_CONTENT), area_form(), rx.fragment()),
        rx.cond(AreaState.other_version, conflict_panel(AreaState)),
        rx.cond(AreaState.preview, preview_panel(AreaState, Right.CHANGE_CONTENT)),
        versions_panel(AreaState),
        class_name="o-content",
    )
    return office_layout(AreaState, CONTENT, TITLE, screen(AreaState, content), undo=AreaState.undo)


def area_form() -> rx.Component:
    """Render the form of a content area.

    Its button displays a preview, because only a previewed form can be published.
    """
    fields = rx.match(
        VIEW.area,
        (Area.BANNER, ROW_GROUPS[Area.BANNER]()),
        (Area.HOME, ROW_GROUPS[Area.HOME]()),
        (Area.ANNOUNCEMENT, announcement_fields()),
        (Area.FOOTER, footer_fields()),
        mail_fields(),
    )
    return edit_form(
        AreaState,
        AreaState.preview_changes,
        fields,
        end=preview_bar(),
        is_good=False,  # the form stays changed until it is published
        on_discard=AreaState.start_over,
        class_name="o-panel o-form",
        key=f"{VIEW.area}-{VIEW.version}",
    )


def text_field(name: str, label: str, **more: Any) -> rx.Component:
    """Render a text field of the form."""
    return office_field(
        AreaState, FORM, name, label, **{"default_value": VIEW.texts[name], "auto_complete": "off", **more}
    )


def announcement_fields() -> rx.Component:
    """Render the fields of the announcement above every page."""
    return rx.fragment(
        text_field("text", _("Texto"), is_optional=True),
        text_field(
            "link",
            _("Enlace"),
            is_optional=True,
            max_length=MAX_LINK_CHARS,
            placeholder="/catalog",
            input_mode="url",
            auto_capitalize="none",
            spell_check=False,
        ),
        rx.el.div(
            text_field("starts", _("Primer día"), type="date", is_optional=True),
            text_field(
                "ends", _("Último día"), type="date", is_optional=True, hint=_("Termina sola esa noche.")
            ),
            class_name="o-areas__days",
        ),
    )


def footer_fields() -> rx.Component:
    """Render the fields of the footer."""
    return rx.fragment(
        text_field("about", _("De la tienda"), is_optional=True, hint=_("Vacío: la frase de los ajustes.")),
        text_field("title", _("Título de tu lista"), is_optional=True),
        ROW_GROUPS[Area.FOOTER](),
    )


def mail_fields() -> rx.Component:
    """Render the fields of a mail."""

    def text_area(name: str, label: str, *hint: rx.Component) -> rx.Component:
        element_id, problem = f"{FORM}-{name}", text_at(AreaState.problems, name)
        area = rx.el.textarea(
            id=rx.Var.create(element_id),
            name=name,
            default_value=VIEW.texts[name],
            rows="4",
            class_name="field__input",
            custom_attrs={"aria-invalid": rx.cond(problem, "true", "false")},
        )
        return field_box(
            label, area, *hint, element_id=element_id, problem=problem, is_optional=True, live=""
        )

    names = rx.el.p(_("Puedes nombrar: "), VIEW.names, class_name="field__hint")
    return rx.fragment(
        text_field("subject", _("Asunto"), is_optional=True, hint=_("Vacío: el de la tienda.")),
        text_area("opening", _("Al comienzo")),
        text_area("closing", _("Al final"), names),
    )


@rx.memo
def preview_bar() -> rx.Component:
    """Render the buttons that preview or discard the changes. They are visible only while there are changes."""
    return submit_bar(_("Ver cómo queda"), _("Un momento…"), "dark", "look")
