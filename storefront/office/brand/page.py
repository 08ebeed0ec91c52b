"""Components of the brand screen: the form, the preview next to the published brand, and the versions."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from backend.content.fonts import FONTS
from backend.content.goods import FEMININE
from backend.content.social_networks import SOCIAL_NETWORKS
from backend.core.texts import _
from backend.media.brand_picture_routes import PATH
from backend.media.uploads import MAX_FILE_BYTES
from backend.staff.rights import Right
from storefront.components.forms import SubmitOnce, field_box
from storefront.office.brand.state import BrandState
from storefront.office.components.feedback import screen
from storefront.office.components.forms import edit_form, office_field, office_select, submit_bar
from storefront.office.components.uploads import brand_upload
from storefront.office.content.brand_look import brand_look
from storefront.office.content.version_panels import conflict_panel, restore_button, versions_panel
from storefront.office.layout import office_layout
from storefront.office.navigation import BRAND
from storefront.office.react_components import FormValue
from storefront.office.state import answer_number, has_right
from storefront.reflex_ext.hooks import text_at

TITLE = _("Marca")
FORM = "brand"
"""Prefix of the ids of the form's fields."""
VIEW = BrandState.content
COLORS = {
    "primary": (_("Color principal"), _("Botones, enlaces y precios rebajados.")),
    "secondary": (_("Color de apoyo"), _("Lo disponible, lo confirmado y los adornos.")),
    "background": (_("Fondo"), _("Claro: el de todas las páginas.")),
    "text_color": (_("Texto"), _("Oscuro: las letras y el pie de página.")),
}


def page() -> rx.Component:
    """Render the screen of the brand."""
    content = rx.el.div(
        rx.el.p(
            _(
                "Lo que ves aquí es como se ve la tienda: páginas, correos, facturas y la aplicación del teléfono."
            ),
            class_name="o-row__detail",
        ),
        rx.el.div(
            rx.cond(has_right(Right.CHANGE_BRAND), brand_form(), rx.fragment()),
            looks(),
            class_name="o-brand__columns",
        ),
        rx.cond(BrandState.other_version, conflict_panel(BrandState)),
        versions_panel(BrandState),
        class_name="o-content o-brand",
    )
    return office_layout(BrandState, BRAND, TITLE, screen(BrandState, content), undo=BrandState.undo)


def brand_form() -> rx.Component:
    """Render the form. Every change appears in the preview at once; the button publishes it."""
    return edit_form(
        BrandState,
        BrandState.publish,
        rx.el.fieldset(
            rx.el.legend(_("Logo e icono"), class_name="o-section__title"),
            picture_field(
                "logo",
                _("Logo"),
                _("Sin logo se ve el nombre de la tienda en letras."),
                BrandState.use_logo,
            ),
            picture_field(
                "icon",
                _("Icono"),
                _("Cuadrado: el de la pestaña y el del teléfono. Sin icono se hace con el logo."),
                BrandState.use_icon,
            ),
            class_name="o-brand__group",
        ),
        rx.el.fieldset(
            rx.el.legend(_("Colores y letra"), class_name="o-section__title"),
            *(color_field(name, label, hint) for name, (label, hint) in COLORS.items()),
            choice_field(
                "font", _("Letra de los títulos"), {name: font.label for name, font in FONTS.items()}
            ),
            class_name="o-brand__group",
        ),
        rx.el.fieldset(
            rx.el.legend(_("Lo que dice el inicio"), class_name="o-section__title"),
            text_field("headline", _("Titular"), hint=_("Vacío: el nombre de la tienda.")),
            text_field("headline_text", _("Texto del titular"), hint=_("También lo leen los buscadores.")),
            class_name="o-brand__group",
        ),
        rx.el.fieldset(
            rx.el.legend(_("Qué vendes"), class_name="o-section__title"),
            text_field("goods_one", _("Una cosa"), placeholder=_("libro"), auto_capitalize="none"),
            text_field(
                "goods_many",
                _("Varias cosas"),
                placeholder=_("libros"),
                auto_capitalize="none",
                hint=_("Así los nombran el buscador y el catálogo. Vacío: «productos»."),
            ),
            choice_field(
                "goods_gender",
                _("Cómo se dice"),
                {"": _("Los, como «los libros»"), FEMININE: _("Las, como «las revistas»")},
            ),
            class_name="o-brand__group",
        ),
        rx.el.fieldset(
            rx.el.legend(_("Dónde te encuentran"), class_name="o-section__title"),
            text_field(
                "whatsapp", _("WhatsApp"), type="tel", hint=_("Vacío: el de los ajustes."), input_mode="tel"
            ),
            *(
                text_field(
                    name,
                    network.label,
                    placeholder=network.example,
                    input_mode="url",
                    auto_capitalize="none",
                    spell_check=False,
                )
                for name, network in SOCIAL_NETWORKS.items()
            ),
            class_name="o-brand__group",
        ),
        end=publish_bar(),
        on_edit=BrandState.preview_edit,
        on_discard=BrandState.start_over,
        class_name="o-panel o-form",
        key=f"brand-{VIEW.version}",
    )


def text_field(name: str, label: str, **more: Any) -> rx.Component:
    """Render an optional text field of the form."""
    shown = {"default_value": VIEW.texts[name], "auto_complete": "off", "is_optional": True}
    return office_field(BrandState, FORM, name, label, **{**shown, **more})


def choice_field(name: str, label: str, options: Mapping[str, str]) -> rx.Component:
    """Render a select field of the form. `options` are labels by value."""
    return office_select(
        BrandState,
        FORM,
        name,
        label,
        [rx.el.option(text, value=value) for value, text in options.items()],
        default_value=VIEW.texts[name],
    )


def picture_field(name: str, label: str, hint: str, on_uploaded: Any) -> rx.Component:
    """Render the upload field of the logo or the icon, and the picture that the form has now."""
    url = BrandState.pictures[name].to(str)
    problem = text_at(BrandState.problems, name)
    shown = rx.cond(
        url != "",
        rx.el.div(
            rx.el.img(src=url, alt="", class_name="o-brand__picture"),
            SubmitOnce.create(
                rx.el.button(
                    _("Quitar"),
                    rx.el.span(f" {label}", class_name="sr-only"),
                    type="button",
                    on_click=BrandState.remove_picture(name),
                    class_name="button button--small button--quiet",
                    data_testid=f"brand-{name}-remove",
                ),
                answers=answer_number(BrandState),
            ),
            class_name="o-brand__shown",
        ),
    )
    return rx.el.div(
        rx.el.b(label),
        rx.el.p(hint, class_name="field__hint"),
        shown,
        FormValue.create(name=name, value=url),
        brand_upload(name, PATH, MAX_FILE_BYTES, on_uploaded),
        rx.cond(problem, rx.el.p(problem, class_name="field__problem", role="alert")),
        class_name="o-brand__field",
    )


def color_field(name: str, label: str, hint: str) -> rx.Component:
    """Render the fields of a colour: its code and a picker.

    If the colour was refused as unreadable, also render a button that uses the nearest readable colour.
    """
    element_id, problem = f"{FORM}-{name}", text_at(BrandState.problems, name)
    suggestion = text_at(BrandState.suggestions, name)
    value = VIEW.texts[name]
    control = rx.el.div(
        rx.el.input(
            id=rx.Var.create(element_id),
            name=name,
            default_value=value,
            max_length=7,
            auto_complete="off",
            spell_check=False,
            class_name="field__input",
            custom_attrs={"aria-invalid": rx.cond(problem, "true", "false")},
        ),
        rx.el.input(
            type="color",
            default_value=value,
            class_name="o-brand__picker",
            aria_label=_("Elegir: {label}").format(label=label),
            custom_attrs={"data-paired": element_id},
        ),
        class_name="o-brand__color",
    )
    use = rx.cond(
        suggestion,
        rx.el.button(
            _("Usar "),
            suggestion,
            type="button",
            class_name="button button--small button--quiet",
            custom_attrs={"data-takes": element_id, "data-value": suggestion},
            data_testid=f"brand-{name}-use",
        ),
    )
    return field_box(label, control, use, element_id=element_id, problem=problem, hint=hint, live="polite")


@rx.memo
def publish_bar() -> rx.Component:
    """Render the buttons that publish or discard the changes. They are visible only while there are changes."""
    return submit_bar(_("Publicar"), _("Publicando…"), "primary", "save")


def looks() -> rx.Component:
    """Render the published brand and, next to it, the preview of the form or of an earlier version, if any."""
    preview = BrandState.preview
    return rx.el.section(
        rx.cond(
            preview,
            rx.el.div(
                rx.el.h2(preview.title, class_name="o-section__title"),
                brand_look(preview.brand, "preview"),
                rx.cond(
                    (preview.version >= 0) & has_right(Right.CHANGE_BRAND),
                    SubmitOnce.create(
                        restore_button(BrandState, preview.version), answers=answer_number(BrandState)
                    ),
                ),
            ),
        ),
        rx.el.div(
            rx.el.h2(_("Así está hoy"), class_name="o-section__title"),
            brand_look(VIEW.current, "current"),
        ),
        class_name="o-panel o-section o-brand__looks",
        custom_attrs={"aria-live": "polite"},
    )
