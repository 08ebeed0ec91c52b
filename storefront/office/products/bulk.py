"""What Productos looks like where many products are changed at once."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.bulk.changes import CATEGORIES, STEPS, Action
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.products.bulk import ACTIONS, BulkView, ExampleView, LeftAlone, TargetOption
from backend.office.products.listing import CategoryOption, ProductRow
from storefront.components.forms import field, select_field
from storefront.office.components.feedback import chip
from storefront.office.components.forms import office_select
from storefront.office.components.selection_bar import chosen_rows
from storefront.office.icons import icon
from storefront.office.navigation import PRODUCTS
from storefront.office.products.listing_state import MORE, WITH_FORM, ProductsState
from storefront.office.react_components import CHOSEN
from storefront.reflex_ext.hooks import text_at

SHOWN = ProductsState.content
DRAFT = ProductsState.draft
PLAN = ProductsState.plan


def every() -> rx.Component:
    """Chooses all rows that are shown."""
    return rx.el.label(
        rx.el.input(type="checkbox", special_props=[CHOSEN.every], class_name="o-box"),
        rx.el.span(_("Elegir todos los que se ven")),
        class_name="o-every",
    )


def choosing(row: ObjectVar[ProductRow]) -> rx.Component:
    """The box that chooses a row."""
    return rx.el.label(
        rx.el.input(
            type="checkbox",
            name="id",
            value=row.id,
            data_chooses="",
            class_name="o-box",
            aria_label=_("Elegir {title}").format(title=row.title),
        ),
        class_name="o-product__choose",
    )


@rx.memo
def products_chosen_bar() -> rx.Component:
    """What can be done with all that are chosen; there while any is, and nothing is being put together."""

    def act(action: str, label: str) -> rx.Component:
        return rx.el.button(
            label,
            type="button",
            data_act=action,
            disabled=CHOSEN.is_busy,
            class_name="button button--dark button--small",
        )

    return chosen_rows(
        act(Action.PUBLISH, ACTIONS[Action.PUBLISH]),
        act(Action.HIDE, ACTIONS[Action.HIDE]),
        act(MORE, _("Más cambios…")),
        hidden=ProductsState.draft.is_not_none(),
    )


def drafting() -> rx.Component:
    """What is being put together, what it would do, and the button that does it."""
    several = rx.cond(DRAFT.count == 1, _("1 juguete"), _("{n} juguetes").format(n=DRAFT.count.to_string()))
    of_all = _("Todos los del filtro")
    head = rx.el.div(
        rx.el.h2(
            rx.cond(DRAFT.asked.is_none(), several, of_all),
            class_name="o-section__title",
        ),
        rx.el.button(
            icon("close", size=18),
            type="button",
            class_name="icon-button",
            aria_label=_("No cambiar nada"),
            on_click=ProductsState.drop,
        ),
        class_name="o-section__head",
    )
    widen = rx.cond(
        (SHOWN.count > DRAFT.count) | ~DRAFT.asked.is_none(),
        rx.el.button(
            rx.cond(DRAFT.asked.is_none(), of_all, _("Solo los elegidos")),
            type="button",
            class_name="button button--quiet button--small",
            on_click=ProductsState.widen,
        ),
    )
    panel = rx.el.section(
        head,
        widen,
        picking(),
        rx.cond(rx.Var.create(sorted(WITH_FORM)).contains(DRAFT.action), details_form()),
        rx.cond(ProductsState.plan, planned()),
        class_name="o-panel o-bulk",
        data_testid="bulk",
        aria_label=_("Cambiar varios juguetes"),
    )
    return rx.cond(ProductsState.draft, panel)


def picking() -> rx.Component:
    """What is to be done."""
    return office_select(
        ProductsState,
        "bulk",
        "action",
        _("Qué cambiar"),
        [
            rx.el.option(_("Elige…"), value=""),
            *(rx.el.option(label, value=action) for action, label in ACTIONS.items()),
        ],
        value=DRAFT.action,
        on_change=ProductsState.pick,
        auto_focus=True,
    )


def details_form() -> rx.Component:
    """Which category or collection, or how many percent."""

    def category(one: ObjectVar[CategoryOption]) -> rx.Component:
        return rx.el.option(one.label, value=one.handle, key=one.handle)

    def collection(one: ObjectVar[TargetOption]) -> rx.Component:
        return rx.el.option(one.label, value=one.handle, key=one.handle)

    def target(label: str, nothing: str, options: rx.Component) -> rx.Component:
        return select_field(
            label,
            [rx.el.option(nothing, value=""), options],
            element_id="bulk-target",
            problem=text_at(ProductsState.problems, "target"),
            live="polite",
            name="target",
        )

    places = rx.cond(
        rx.Var.create(sorted(CATEGORIES)).contains(DRAFT.action),
        target(_("Categoría"), _("Elige…"), rx.foreach(SHOWN.categories, category)),
        target(_("Colección"), _("Ninguna"), rx.foreach(ProductsState.collections, collection)),
    )
    percents = rx.fragment(
        field(
            "percent",
            _("Porcentaje"),
            element_id="bulk-percent",
            problem=text_at(ProductsState.problems, "percent"),
            hint=_("Oferta: cuánto menos que el precio sin oferta. Precios: 8 sube, −5 baja."),
            input_mode="tel",
            max_length=5,
            auto_complete="off",
        ),
        office_select(
            ProductsState,
            "bulk",
            "step",
            _("Redondear a"),
            [rx.el.option(format_cop(step), value=str(step)) for step in STEPS],
            default_value="50",
        ),
    )
    is_priced = (DRAFT.action == Action.SALE) | (DRAFT.action == Action.PRICES)
    return rx.el.form(
        rx.cond(is_priced, percents, places),
        rx.el.button(
            _("Ver qué va a cambiar"), type="submit", class_name="button button--dark button--small"
        ),
        class_name="o-cell__form",
        key=DRAFT.action,
        no_validate=True,
        on_submit=ProductsState.show_plan,
    )


def planned() -> rx.Component:
    """What it would do."""

    def example(one: ObjectVar[ExampleView]) -> rx.Component:
        return rx.el.li(
            rx.el.span(one.title, class_name="o-row__title"),
            rx.cond(
                one.problem != "",
                rx.el.span(_("No se cambia: "), one.problem, class_name="o-row__detail"),
                rx.el.span(one.before, " → ", rx.el.b(one.after), class_name="o-row__detail"),
            ),
            key=one.title,
        )

    def note(text: rx.Var[str]) -> rx.Component:
        return rx.el.p(text, class_name="o-row__detail")

    label = rx.cond(
        PLAN.changed == 1,
        _("Cambiar 1 juguete"),
        _("Cambiar {n} juguetes").format(n=PLAN.changed.to_string()),
    )
    return rx.el.div(
        rx.el.ul(rx.foreach(PLAN.examples, example), class_name="o-bulk__examples"),
        rx.cond(PLAN.total_label != "", rx.el.p(PLAN.total_label)),
        rx.foreach(PLAN.notes, note),
        rx.cond(
            PLAN.changed > 0,
            rx.el.button(
                label,
                type="button",
                class_name="button button--primary button--small",
                data_testid="bulk-apply",
                on_click=ProductsState.begin_change,
            ),
            rx.el.p(_("No hay nada que cambiar."), class_name="o-row__title"),
        ),
        class_name="o-bulk__plan",
        role="status",
        data_testid="bulk-preview",
    )


def last_ones() -> rx.Component:
    """The last changes: how they stand, what they left alone, and a way to undo each."""

    def left(one: ObjectVar[LeftAlone]) -> rx.Component:
        return rx.el.li(
            rx.el.a(one.title, href=f"{PRODUCTS}/{one.product_id}", class_name="o-result__title"),
            rx.el.span(one.text, class_name="o-row__detail"),
            class_name="o-result",
            key=one.product_id,
        )

    def change(bulk: ObjectVar[BulkView]) -> rx.Component:
        return rx.el.li(
            rx.el.div(
                rx.el.span(bulk.label, class_name="o-row__title"),
                chip(bulk.status, rx.cond(bulk.is_moving, "wait", "plain")),
                class_name="o-bulk__head",
            ),
            rx.el.span(bulk.about, class_name="o-row__detail"),
            rx.cond(
                bulk.is_moving,
                rx.el.progress(
                    value=bulk.settled,
                    max=bulk.total,
                    class_name="o-bulk__progress",
                    aria_label=bulk.label,
                ),
            ),
            rx.el.span(bulk.counted, class_name="o-row__detail"),
            rx.cond(
                bulk.left_alone.length() > 0,
                rx.el.details(
                    rx.el.summary(_("Los que quedaron como estaban"), class_name="o-disclosure"),
                    rx.el.ul(rx.foreach(bulk.left_alone, left)),
                ),
            ),
            rx.cond(
                bulk.can_be_undone,
                rx.el.button(
                    icon("undo", size=18),
                    _("Deshacer"),
                    type="button",
                    class_name="button button--quiet button--small",
                    on_click=ProductsState.undo_change(bulk.id),
                    data_testid="bulk-undo",
                ),
            ),
            key=bulk.id,
            class_name="o-bulk__change",
            data_testid="bulk-change",
        )

    panel = rx.el.section(
        rx.el.h2(_("Últimos cambios de varios"), class_name="o-section__title"),
        rx.el.ul(rx.foreach(ProductsState.changes, change)),
        class_name="o-panel o-bulk__last",
    )
    return rx.cond(ProductsState.changes.length() > 0, panel)
