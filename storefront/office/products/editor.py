"""The product editor (Producto), designed for phones.

Title, price, units and pictures are at the top, all other fields in sections below.
"""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.countries import country_names
from backend.catalog.schemas.cell_words import AGE_RANGES
from backend.core.texts import _
from backend.office.products.draft import EXCLUDED, TEXTS
from backend.office.products.editor import PlaceOption
from backend.pricing import TAX_RATES
from backend.staff.rights import Right
from storefront.components.forms import described_by, field_box
from storefront.components.placeholders import skeleton_bar
from storefront.office.components.detail import BUTTON, detail_screen
from storefront.office.components.feedback import chip
from storefront.office.components.forms import edit_form, office_field, office_select
from storefront.office.components.history import history_panel
from storefront.office.icons import icon
from storefront.office.navigation import PRODUCTS
from storefront.office.products.editor_options import options_group
from storefront.office.products.editor_rows import FORM, VIEW, pictures_group, variants_group, video_group
from storefront.office.products.editor_state import ProductState
from storefront.office.products.editor_view import LABELS, ClashRow
from storefront.office.state import has_right
from storefront.reflex_ext.hooks import ABSENT, text_at

TITLE = _("Producto")


def page() -> rx.Component:
    """Render the product editor."""
    title = rx.cond(
        ProductState.content, rx.cond(VIEW.is_new, _("Producto nuevo"), VIEW.texts["title"]), TITLE
    )
    past = rx.cond(VIEW.is_new, rx.fragment(), history_panel(VIEW.id))
    content = rx.fragment(status_line(), rx.el.div(product_form(), list_preview(), class_name="o-toy"), past)
    return detail_screen(ProductState, title, (_("Productos"), PRODUCTS), content, skeleton())


def status_line() -> rx.Component:
    """Render the product's status and a link to its page in the shop."""
    in_shop = rx.el.a(
        icon("store", size=18),
        _("Ver en la tienda"),
        href=VIEW.page_path,
        target="_blank",
        custom_attrs={"reloadDocument": True},
        class_name=f"{BUTTON}button--quiet",
        data_testid="product-in-shop",
    )
    preview = rx.el.a(
        icon("store", size=18),
        _("Vista previa"),
        href=f"{PRODUCTS}/{VIEW.id}/vista",
        class_name=f"{BUTTON}button--quiet",
        data_testid="product-as-shown",
    )
    return rx.cond(
        VIEW.is_new,
        rx.fragment(),
        rx.el.div(
            rx.cond(VIEW.is_published, chip(_("Publicado"), "good"), chip(_("Oculto"), "wait")),
            rx.cond(VIEW.page_path != "", in_shop, preview),
            class_name="o-one__head",
            data_testid="product-state",
        ),
    )


def product_form() -> rx.Component:
    """Render the product's form. All its fields are saved together."""
    fields = rx.el.fieldset(
        clashes_panel(),
        rx.el.div(
            text_line("title", auto_complete="off", enter_key_hint="next"),
            variants_group(),
            pictures_group(),
            video_group(),
            checkbox("is_published", _("Publicado en la tienda"), VIEW.is_published),
            class_name="o-panel o-toy__part",
        ),
        form_section(
            _("Opciones: color, talla…"),
            options_group(),
            hint=_(
                "Cada valor nuevo crea sus presentaciones al guardar, con el precio de la más parecida y sin "
                "unidades. Un valor se puede quitar cuando no le quedan unidades."
            ),
        ),
        form_section(
            _("Descripción, edad y categorías"),
            text_area("description", 5),
            text_line("subtitle", is_optional=True),
            brand_field(),
            age_field(),
            rx.el.fieldset(
                rx.el.legend(_("Categorías"), class_name="field__label"),
                rx.foreach(VIEW.categories, category_box),
                class_name="o-toy__choices",
            ),
            collection_field(),
            checkbox("is_featured", _("Destacado en la portada"), VIEW.is_featured),
        ),
        form_section(
            _("Peso y tamaño"),
            rx.el.div(
                measure_field("weight", _("Peso (kg)"), "0,35"),
                measure_field("length", _("Largo (cm)"), "24"),
                measure_field("width", _("Ancho (cm)"), "18"),
                measure_field("height", _("Alto (cm)"), "10"),
                class_name="o-toy__cells",
            ),
            mark=rx.cond(VIEW.texts["weight"] == "", chip(_("falta el peso"), "wait")),
            hint=_("Sin peso, el envío se cobra como 1 kg. Sin medidas, como una caja de 20 cm por lado."),
        ),
        form_section(
            _("IVA, material, contenido, origen y advertencias"),
            choice_field(
                "tax_rate",
                [
                    *(rx.el.option(f"{rate} %", value=str(rate)) for rate in TAX_RATES),
                    rx.el.option(_("Excluido"), value=EXCLUDED),
                ],
                VIEW.texts["tax_rate"],
            ),
            text_line("material", is_optional=True),
            text_line("contents", is_optional=True, max_length=TEXTS["contents"]),
            origin_field(),
            text_line(
                "safety_mark", is_optional=True, max_length=TEXTS["safety_mark"], placeholder="NTC-EN 71-1"
            ),
            text_area("warnings", 3),
        ),
        form_section(
            _("Preventa"),
            text_line("preorder_day", is_optional=True, type="date"),
            text_line("preorder_units", is_optional=True, input_mode="numeric", max_length=6),
            mark=rx.cond(VIEW.texts["preorder_day"] != "", chip(_("en preventa"), "wait")),
            hint=_(
                "Se vende sin unidades hasta ese número por presentación, y la entrega se promete desde ese día. "
                "Cuando lleguen, recíbelas en Bodega. Al día siguiente la preventa termina sola."
            ),
        ),
        form_section(
            _("Cómo se ve en Google"),
            counted_field(
                "seo_title", text_line("seo_title", is_optional=True, max_length=TEXTS["seo_title"])
            ),
            counted_field("seo_description", text_area("seo_description", 3)),
            hint=_("Vacíos, salen del título y de la descripción."),
        ),
        form_section(
            _("Dirección en la tienda"),
            text_line("handle", auto_capitalize="none", spell_check=False),
            rx.cond(VIEW.former.length() > 0, former_addresses()),
            hint=_(
                "Vacía, sale del título. Si la cambias, los enlaces de antes siguen llegando a este producto."
            ),
        ),
        disabled=~has_right(Right.CHANGE_CATALOG),
        class_name="o-toy__fields",
    )
    return edit_form(
        ProductState,
        ProductState.save,
        fields,
        class_name="o-form o-toy__form",
        shown_values=VIEW.seen,
        conflict_count=ProductState.clash_count,
        on_discard=ProductState.discard,
    )


def form_section(title: str, *content: rx.Component, mark: Any = None, hint: str = "") -> rx.Component:
    """Render a section of the form that is folded until it is opened."""
    return rx.el.details(
        rx.el.summary(
            rx.el.span(title, class_name="o-toy__title"),
            *([mark] if mark is not None else []),
            icon("down", size=20),
            class_name="o-audit__head",
        ),
        rx.el.div(
            *([rx.el.p(hint, class_name="o-row__detail")] if hint else []),
            *content,
            class_name="o-toy__body",
        ),
        class_name="o-panel o-toy__section",
    )


def text_line(name: str, **more: Any) -> rx.Component:
    """Render a text field."""
    return office_field(ProductState, FORM, name, LABELS[name], **{"default_value": VIEW.texts[name], **more})


def measure_field(name: str, label: str, example: str) -> rx.Component:
    """Render a field of a weight or a length."""
    return office_field(
        ProductState,
        FORM,
        name,
        label,
        default_value=VIEW.texts[name],
        input_mode="decimal",
        placeholder=example,
        auto_complete="off",
        is_optional=True,
    )


def text_area(name: str, rows: int) -> rx.Component:
    """Render a field of several lines."""
    element_id = f"{FORM}-{name}"
    problem = text_at(ProductState.problems, name)
    text = rx.el.textarea(
        id=rx.Var.create(element_id),
        name=name,
        rows=str(rows),
        max_length=TEXTS[name],
        default_value=VIEW.texts[name],
        class_name="field__input",
        custom_attrs={
            "aria-invalid": rx.cond(problem, "true", ABSENT),
            **described_by(element_id, problem),
        },
    )
    return field_box(LABELS[name], text, element_id=element_id, problem=problem, is_optional=True, live="")


def counted_field(name: str, content: rx.Component) -> rx.Component:
    """Render a text field with a counter of its characters, which `EditForm` updates."""
    counter = rx.el.p(
        class_name="o-letters",
        data_counts=f"{FORM}-{name}",
        data_count=VIEW.texts[name].length(),
        data_limit=str(TEXTS[name]),
    )
    return rx.el.div(content, counter)


def choice_field(name: str, options: list[rx.Component], value: Any) -> rx.Component:
    """Render a select field."""
    return office_select(ProductState, FORM, name, LABELS[name], options, default_value=value, data_now=value)


def checkbox(name: str, label: str, value: Any) -> rx.Component:
    """Render a checkbox."""
    box = rx.el.input(
        type="checkbox",
        name=name,
        default_checked=value,
        id=rx.Var.create(f"{FORM}-{name}"),
        auto_complete="off",
    )
    return rx.el.label(box, rx.el.span(label, class_name="check__label"), class_name="check")


def category_box(place: ObjectVar[PlaceOption]) -> rx.Component:
    """Render the checkbox of a category."""
    box = rx.el.input(
        type="checkbox",
        name="category[]",
        value=place.id,
        default_checked=place.is_chosen,
        auto_complete="off",
    )
    return rx.el.label(
        box, rx.el.span(place.name, class_name="check__label"), class_name="check", key=place.id
    )


def brand_field() -> rx.Component:
    """Render the brand field, which suggests existing brands."""
    return rx.fragment(
        text_line("brand", is_optional=True, list="product-brands", max_length=100),
        rx.el.datalist(
            rx.foreach(VIEW.brands, lambda name: rx.el.option(value=name, key=name)),
            id=rx.Var.create("product-brands"),
        ),
    )


def age_field() -> rx.Component:
    """Render the field of the age range."""
    options = [
        rx.el.option(_("Sin especificar"), value=""),
        *(rx.el.option(_("{ages} años").format(ages=ages), value=ages) for ages in AGE_RANGES),
    ]
    return choice_field("age_range", options, VIEW.texts["age_range"])


def collection_field() -> rx.Component:
    """Render the field of the collection."""
    options = [
        rx.el.option(_("Ninguna"), value=""),
        rx.foreach(
            VIEW.collections, lambda option: rx.el.option(option.name, value=option.id, key=option.id)
        ),
    ]
    return choice_field("collection_id", options, VIEW.texts["collection_id"])


def origin_field() -> rx.Component:
    """Render the field of the country of origin."""
    options = [
        rx.el.option(_("Sin especificar"), value=""),
        *(rx.el.option(name, value=code) for code, name in country_names().items()),
    ]
    return choice_field("origin_country", options, VIEW.texts["origin_country"])


def former_addresses() -> rx.Component:
    """Render the former addresses that still lead to the product."""
    return rx.el.div(
        rx.el.p(_("También llegan aquí:"), class_name="o-row__detail"),
        rx.el.ul(rx.foreach(VIEW.former, lambda handle: rx.el.li(rx.el.code(handle), key=handle))),
        class_name="o-toy__former",
    )


def clashes_panel() -> rx.Component:
    """Render the values that this and another staff member changed at the same time.

    Each has both versions, and a button that uses the other staff member's version.
    """

    def clash_item(row: ObjectVar[ClashRow]) -> rx.Component:
        return rx.el.li(
            rx.el.b(row.label),
            rx.el.dl(
                rx.el.div(rx.el.dt(_("Lo tuyo")), rx.el.dd(rx.cond(row.mine != "", row.mine, "—"))),
                rx.el.div(
                    rx.el.dt(_("Lo que hay ahora")), rx.el.dd(rx.cond(row.theirs != "", row.theirs, "—"))
                ),
                class_name="o-facts",
            ),
            rx.cond(
                row.field != "",
                rx.el.button(
                    _("Dejar lo que hay"),
                    type="button",
                    data_takes=row.field,
                    data_value=row.value,
                    class_name=f"{BUTTON}button--quiet",
                ),
            ),
            key=row.key,
            class_name="o-toy__clash",
            data_testid="clash",
        )

    return rx.cond(
        ProductState.clashes.length() > 0,
        rx.el.section(
            rx.el.h2(_("Otra persona cambió lo mismo que tú"), class_name="o-section__title"),
            rx.el.p(_("Si guardas otra vez, queda lo tuyo.")),
            rx.el.ul(rx.foreach(ProductState.clashes, clash_item)),
            class_name="o-panel o-toy__clashes",
            role="alert",
        ),
    )


def list_preview() -> rx.Component:
    """Render the product as the shop's lists show it."""
    card = rx.el.div(
        rx.cond(
            VIEW.src != "",
            rx.el.img(src=VIEW.src, alt="", width="240", height="240", class_name="o-toy__face"),
            rx.el.span(icon("box", size=48), class_name="o-toy__face o-toy__face--none"),
        ),
        rx.el.p(VIEW.texts["title"], class_name="o-row__title"),
        rx.el.p(
            rx.el.b(VIEW.price_label),
            rx.cond(VIEW.before_label != "", rx.el.s(VIEW.before_label)),
            class_name="o-toy__price",
        ),
        class_name="o-toy__card",
    )
    return rx.cond(
        VIEW.is_new,
        rx.fragment(),
        rx.el.aside(
            rx.el.h2(_("Así se ve en las listas"), class_name="o-section__title"),
            card,
            rx.cond(
                VIEW.is_published,
                rx.fragment(),
                rx.el.p(_("Está oculto: solo se ve aquí."), class_name="o-row__detail"),
            ),
            class_name="o-panel o-toy__beside",
        ),
    )


def skeleton() -> rx.Component:
    """Render placeholders while the editor loads."""
    return rx.el.div(
        *(
            rx.el.div(
                skeleton_bar("40%"), skeleton_bar("100%", "2.75rem"), class_name="o-panel o-panel--waiting"
            )
            for _one in range(3)
        ),
        class_name="o-toy__fields",
        aria_hidden="true",
    )
