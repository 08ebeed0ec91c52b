"""Components of the product list for bulk changes."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.bulk.changes import CATEGORIES, ROUNDING_STEPS, Action
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.products.bulk import ACTIONS, BulkView, ExampleView, TargetOption, UnchangedProduct
from backend.office.products.listing import CategoryOption, ProductRow
from storefront.components.forms import field, select_field
from storefront.office.components.feedback import chip
from storefront.office.components.forms import office_select
from storefront.office.components.selection_bar import selection_bar
from storefront.office.icons import icon
from storefront.office.navigation import PRODUCTS
from storefront.office.products.listing_state import ACTIONS_WITH_FORM, MORE_ACTIONS, ProductsState
from storefront.office.react_components import SELECTION
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.numbers import grouped

VIEW = ProductsState.content
DRAFT = ProductsState.draft
PLAN = ProductsState.plan


def select_all_box() -> rx.Component:
    """Render the checkbox that selects all shown rows."""
    return rx.el.label(
        rx.el.input(type="checkbox", special_props=[SELECTION.select_all], class_name="o-box"),
        rx.el.span(_("Elegir todos los que se ven")),
        class_name="o-every",
    )


def select_box(row: ObjectVar[ProductRow]) -> rx.Component:
    """Render the checkbox that selects a row."""
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
def products_selection_bar() -> rx.Component:
    """Render the actions on the selected products. They are hidden while a bulk change is being prepared."""

    def action_button(action: str, label: str) -> rx.Component:
        return rx.el.button(
            label,
            type="button",
            data_act=action,
            disabled=SELECTION.is_busy,
            class_name="button button--dark button--small",
        )

    return selection_bar(
        action_button(Action.PUBLISH, ACTIONS[Action.PUBLISH]),
        action_button(Action.HIDE, ACTIONS[Action.HIDE]),
        action_button(MORE_ACTIONS, _("Más cambios…")),
        hidden=ProductsState.draft.is_not_none(),
    )


def draft_panel() -> rx.Component:
    """Render a bulk change that is being prepared: its form, its preview, and the button that starts it."""
    several = rx.cond(DRAFT.count == 1, _("1 producto"), _("{n} productos").format(n=grouped(DRAFT.count)))
    of_all = _("Todos los del filtro")
    head = rx.el.div(
        rx.el.h2(
            rx.cond(DRAFT.filters.is_none(), several, of_all),
            class_name="o-section__title",
        ),
        rx.el.button(
            icon("close", size=18),
            type="button",
            class_name="icon-button",
            aria_label=_("No cambiar nada"),
            on_click=ProductsState.discard_draft,
        ),
        class_name="o-section__head",
    )
    widen = rx.cond(
        (VIEW.count > DRAFT.count) | ~DRAFT.filters.is_none(),
        rx.el.button(
            rx.cond(DRAFT.filters.is_none(), of_all, _("Solo los elegidos")),
            type="button",
            class_name="button button--quiet button--small",
            on_click=ProductsState.toggle_all_matching,
        ),
    )
    panel = rx.el.section(
        head,
        widen,
        action_field(),
        rx.cond(rx.Var.create(sorted(ACTIONS_WITH_FORM)).contains(DRAFT.action), details_form()),
        rx.cond(ProductsState.plan, plan_panel()),
        class_name="o-panel o-bulk",
        data_testid="bulk",
        aria_label=_("Cambiar varios productos"),
    )
    return rx.cond(ProductsState.draft, panel)


def action_field() -> rx.Component:
    """Render the select field of the bulk change's action."""
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
        on_change=ProductsState.choose_action,
        auto_focus=True,
    )


def details_form() -> rx.Component:
    """Render the field that the chosen action needs: a category, a collection or a percentage."""

    def category(option: ObjectVar[CategoryOption]) -> rx.Component:
        return rx.el.option(option.label, value=option.handle, key=option.handle)

    def collection(option: ObjectVar[TargetOption]) -> rx.Component:
        return rx.el.option(option.label, value=option.handle, key=option.handle)

    def target_field(label: str, nothing: str, options: rx.Component) -> rx.Component:
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
        target_field(_("Categoría"), _("Elige…"), rx.foreach(VIEW.categories, category)),
        target_field(_("Colección"), _("Ninguna"), rx.foreach(ProductsState.collections, collection)),
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
            [rx.el.option(format_cop(step), value=str(step)) for step in ROUNDING_STEPS],
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


def plan_panel() -> rx.Component:
    """Render the preview of the bulk change."""

    def example_row(view: ObjectVar[ExampleView]) -> rx.Component:
        return rx.el.li(
            rx.el.span(view.title, class_name="o-row__title"),
            rx.cond(
                view.problem != "",
                rx.el.span(_("No se cambia: "), view.problem, class_name="o-row__detail"),
                rx.el.span(view.before, " → ", rx.el.b(view.after), class_name="o-row__detail"),
            ),
            key=view.title,
        )

    def note(text: rx.Var[str]) -> rx.Component:
        return rx.el.p(text, class_name="o-row__detail")

    label = rx.cond(
        PLAN.changed == 1,
        _("Cambiar 1 producto"),
        _("Cambiar {n} productos").format(n=grouped(PLAN.changed)),
    )
    return rx.el.div(
        rx.el.ul(rx.foreach(PLAN.examples, example_row), class_name="o-bulk__examples"),
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


def last_changes_panel() -> rx.Component:
    """Render the latest bulk changes: status, skipped products, and an undo button."""

    def skipped_row(skipped: ObjectVar[UnchangedProduct]) -> rx.Component:
        return rx.el.li(
            rx.el.a(skipped.title, href=f"{PRODUCTS}/{skipped.product_id}", class_name="o-result__title"),
            rx.el.span(skipped.text, class_name="o-row__detail"),
            class_name="o-result",
            key=skipped.product_id,
        )

    def change_row(bulk: ObjectVar[BulkView]) -> rx.Component:
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
                    value=bulk.finished,
                    max=bulk.total,
                    class_name="o-bulk__progress",
                    aria_label=bulk.label,
                ),
            ),
            rx.el.span(bulk.result_label, class_name="o-row__detail"),
            rx.cond(
                bulk.unchanged.length() > 0,
                rx.el.details(
                    rx.el.summary(_("Los que quedaron como estaban"), class_name="o-disclosure"),
                    rx.el.ul(rx.foreach(bulk.unchanged, skipped_row)),
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
        rx.el.ul(rx.foreach(ProductsState.changes, change_row)),
        class_name="o-panel o-bulk__last",
    )
    return rx.cond(ProductsState.changes.length() > 0, panel)
