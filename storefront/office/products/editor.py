"""Producto: one toy, on a telephone first: title, price, units, pictures; the rest is in sections below."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.countries import country_names
from backend.catalog.schemas.product_fields import AGE_RANGES
from backend.core.texts import _
from backend.office.products.draft import TEXTS
from backend.office.products.editor import Place
from backend.pricing import TAX_RATES
from backend.staff.rights import Right
from storefront.components.forms import described_by, field_box
from storefront.components.placeholders import bar
from storefront.office.components.detail import BUTTON, detail_screen
from storefront.office.components.feedback import chip
from storefront.office.components.forms import edit_form, office_field, office_select
from storefront.office.components.history import history
from storefront.office.icons import icon
from storefront.office.navigation import PRODUCTS
from storefront.office.products.editor_rows import FORM, SHOWN, pictures, variants, video
from storefront.office.products.editor_state import (
    LABELS,
    ClashRow,
    ProductState,
)
from storefront.office.state import may
from storefront.reflex_ext.hooks import ABSENT, text_at

TITLE = _("Juguete")


def page() -> rx.Component:
    """One toy."""
    title = rx.cond(
        ProductState.content, rx.cond(SHOWN.is_new, _("Juguete nuevo"), SHOWN.texts["title"]), TITLE
    )
    past = rx.cond(SHOWN.is_new, rx.fragment(), history(SHOWN.id))
    content = rx.fragment(head(), rx.el.div(form(), beside(), class_name="o-toy"), past)
    return detail_screen(ProductState, title, (_("Productos"), PRODUCTS), content, skeleton())


def head() -> rx.Component:
    """How it stands, and the way to its page in the shop."""
    in_shop = rx.el.a(
        icon("store", size=18),
        _("Ver en la tienda"),
        href=SHOWN.page_path,
        target="_blank",
        custom_attrs={"reloadDocument": True},
        class_name=f"{BUTTON}button--quiet",
        data_testid="product-in-shop",
    )
    preview = rx.el.a(
        icon("store", size=18),
        _("Vista previa"),
        href=f"{PRODUCTS}/{SHOWN.id}/vista",
        class_name=f"{BUTTON}button--quiet",
        data_testid="product-as-shown",
    )
    return rx.cond(
        SHOWN.is_new,
        rx.fragment(),
        rx.el.div(
            rx.cond(SHOWN.is_published, chip(_("Publicado"), "good"), chip(_("Oculto"), "wait")),
            rx.cond(SHOWN.page_path != "", in_shop, preview),
            class_name="o-one__head",
            data_testid="product-state",
        ),
    )


def form() -> rx.Component:
    """All that is saved at once."""
    fields = rx.el.fieldset(
        clashes(),
        rx.el.div(
            line("title", auto_complete="off", enter_key_hint="next"),
            variants(),
            pictures(),
            video(),
            tick("is_published", _("Publicado en la tienda"), SHOWN.is_published),
            class_name="o-panel o-toy__part",
        ),
        section(
            _("Descripción, edad y categorías"),
            area("description", 5),
            line("subtitle", is_optional=True),
            brand(),
            ages(),
            rx.el.fieldset(
                rx.el.legend(_("Categorías"), class_name="field__label"),
                rx.foreach(SHOWN.categories, category),
                class_name="o-toy__choices",
            ),
            collection(),
            tick("is_featured", _("Destacado en la portada"), SHOWN.is_featured),
        ),
        section(
            _("Peso y tamaño"),
            rx.el.div(
                measure("weight", _("Peso (kg)"), "0,35"),
                measure("length", _("Largo (cm)"), "24"),
                measure("width", _("Ancho (cm)"), "18"),
                measure("height", _("Alto (cm)"), "10"),
                class_name="o-toy__cells",
            ),
            mark=rx.cond(SHOWN.texts["weight"] == "", chip(_("falta el peso"), "wait")),
            hint=_("Sin peso, el envío se cobra como 1 kg. Sin medidas, como una caja de 20 cm por lado."),
        ),
        section(
            _("IVA, material, contenido, origen y advertencias"),
            choice(
                "tax_rate",
                [rx.el.option(f"{rate} %", value=str(rate)) for rate in TAX_RATES],
                SHOWN.texts["tax_rate"],
            ),
            line("material", is_optional=True),
            line("contents", is_optional=True, max_length=TEXTS["contents"]),
            origin(),
            line("safety_mark", is_optional=True, max_length=TEXTS["safety_mark"], placeholder="NTC-EN 71-1"),
            area("warnings", 3),
        ),
        section(
            _("Dirección en la tienda"),
            line("handle", auto_capitalize="none", spell_check=False),
            rx.cond(SHOWN.former.length() > 0, formers()),
            hint=_(
                "Vacía, sale del título. Si la cambias, los enlaces de antes siguen llegando a este juguete."
            ),
        ),
        disabled=~may(Right.CHANGE_CATALOG),
        class_name="o-toy__fields",
    )
    return edit_form(
        ProductState,
        ProductState.save,
        fields,
        class_name="o-form o-toy__form",
        shown=SHOWN.seen,
        met=ProductState.met,
        on_discard=ProductState.discard,
    )


def section(title: str, *content: rx.Component, mark: Any = None, hint: str = "") -> rx.Component:
    """A part that is opened when it is needed."""
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


def line(name: str, **more: Any) -> rx.Component:
    """A line of text."""
    return office_field(
        ProductState, FORM, name, LABELS[name], **{"default_value": SHOWN.texts[name], **more}
    )


def measure(name: str, label: str, example: str) -> rx.Component:
    """A weight or a length."""
    return office_field(
        ProductState,
        FORM,
        name,
        label,
        default_value=SHOWN.texts[name],
        input_mode="decimal",
        placeholder=example,
        auto_complete="off",
        is_optional=True,
    )


def area(name: str, rows: int) -> rx.Component:
    """Several lines of text."""
    element_id = f"{FORM}-{name}"
    problem = text_at(ProductState.problems, name)
    text = rx.el.textarea(
        id=rx.Var.create(element_id),
        name=name,
        rows=str(rows),
        max_length=10_000,
        default_value=SHOWN.texts[name],
        class_name="field__input",
        custom_attrs={
            "aria-invalid": rx.cond(problem, "true", ABSENT),
            **described_by(element_id, problem),
        },
    )
    return field_box(LABELS[name], text, element_id=element_id, problem=problem, is_optional=True, live="")


def choice(name: str, options: list[rx.Component], value: Any) -> rx.Component:
    """One of several."""
    return office_select(ProductState, FORM, name, LABELS[name], options, default_value=value, data_now=value)


def tick(name: str, label: str, value: Any) -> rx.Component:
    """Yes or no."""
    box = rx.el.input(
        type="checkbox",
        name=name,
        default_checked=value,
        id=rx.Var.create(f"{FORM}-{name}"),
        auto_complete="off",
    )
    return rx.el.label(box, rx.el.span(label, class_name="check__label"), class_name="check")


def category(place: ObjectVar[Place]) -> rx.Component:
    """A category to be in."""
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


def brand() -> rx.Component:
    """Its brand; those that others have are suggested."""
    return rx.fragment(
        line("brand", is_optional=True, list="product-brands", max_length=100),
        rx.el.datalist(
            rx.foreach(SHOWN.brands, lambda name: rx.el.option(value=name, key=name)),
            id=rx.Var.create("product-brands"),
        ),
    )


def ages() -> rx.Component:
    """For whom it is."""
    options = [
        rx.el.option(_("Sin especificar"), value=""),
        *(rx.el.option(_("{ages} años").format(ages=ages), value=ages) for ages in AGE_RANGES),
    ]
    return choice("age_range", options, SHOWN.texts["age_range"])


def collection() -> rx.Component:
    """The collection it is in."""
    options = [
        rx.el.option(_("Ninguna"), value=""),
        rx.foreach(SHOWN.collections, lambda one: rx.el.option(one.name, value=one.id, key=one.id)),
    ]
    return choice("collection_id", options, SHOWN.texts["collection_id"])


def origin() -> rx.Component:
    """Where it is made."""
    options = [
        rx.el.option(_("Sin especificar"), value=""),
        *(rx.el.option(name, value=code) for code, name in country_names().items()),
    ]
    return choice("origin_country", options, SHOWN.texts["origin_country"])


def formers() -> rx.Component:
    """Addresses that lead here too."""
    return rx.el.div(
        rx.el.p(_("También llegan aquí:"), class_name="o-row__detail"),
        rx.el.ul(rx.foreach(SHOWN.former, lambda handle: rx.el.li(rx.el.code(handle), key=handle))),
        class_name="o-toy__former",
    )


def clashes() -> rx.Component:
    """What two people changed: both values, and a way to take the other's."""

    def clash(one: ObjectVar[ClashRow]) -> rx.Component:
        return rx.el.li(
            rx.el.b(one.label),
            rx.el.dl(
                rx.el.div(rx.el.dt(_("Lo tuyo")), rx.el.dd(rx.cond(one.mine != "", one.mine, "—"))),
                rx.el.div(
                    rx.el.dt(_("Lo que hay ahora")), rx.el.dd(rx.cond(one.theirs != "", one.theirs, "—"))
                ),
                class_name="o-facts",
            ),
            rx.cond(
                one.field != "",
                rx.el.button(
                    _("Dejar lo que hay"),
                    type="button",
                    data_takes=one.field,
                    data_value=one.value,
                    class_name=f"{BUTTON}button--quiet",
                ),
            ),
            key=one.key,
            class_name="o-toy__clash",
            data_testid="clash",
        )

    return rx.cond(
        ProductState.clashes.length() > 0,
        rx.el.section(
            rx.el.h2(_("Otra persona cambió lo mismo que tú"), class_name="o-section__title"),
            rx.el.p(_("Si guardas otra vez, queda lo tuyo.")),
            rx.el.ul(rx.foreach(ProductState.clashes, clash)),
            class_name="o-panel o-toy__clashes",
            role="alert",
        ),
    )


def beside() -> rx.Component:
    """How the shop shows it in its lists."""
    card = rx.el.div(
        rx.cond(
            SHOWN.src != "",
            rx.el.img(src=SHOWN.src, alt="", width="240", height="240", class_name="o-toy__face"),
            rx.el.span(icon("box", size=48), class_name="o-toy__face o-toy__face--none"),
        ),
        rx.el.p(SHOWN.texts["title"], class_name="o-row__title"),
        rx.el.p(
            rx.el.b(SHOWN.price_label),
            rx.cond(SHOWN.before_label != "", rx.el.s(SHOWN.before_label)),
            class_name="o-toy__price",
        ),
        class_name="o-toy__card",
    )
    return rx.cond(
        SHOWN.is_new,
        rx.fragment(),
        rx.el.aside(
            rx.el.h2(_("Así se ve en las listas"), class_name="o-section__title"),
            card,
            rx.cond(
                SHOWN.is_published,
                rx.fragment(),
                rx.el.p(_("Está oculto: solo se ve aquí."), class_name="o-row__detail"),
            ),
            class_name="o-panel o-toy__beside",
        ),
    )


def skeleton() -> rx.Component:
    """What holds its place."""
    return rx.el.div(
        *(
            rx.el.div(bar("40%"), bar("100%", "2.75rem"), class_name="o-panel o-panel--waiting")
            for _one in range(3)
        ),
        class_name="o-toy__fields",
        aria_hidden="true",
    )
