"""The filters of the catalogue. The browser stores the choices, and displays them before the server has answered."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, NumberVar, ObjectVar

from backend.catalog.views import Facet
from backend.core.texts import _
from storefront.components.icons import icon
from storefront.components.react_components import KeepFocus, on_value
from storefront.reflex_ext.hooks import hook, props, script, view
from storefront.reflex_ext.numbers import grouped

SCRIPT = script("catalog")
SORTS = {
    "featured": _("Destacados"),
    "new": _("Lo más nuevo"),
    "price_asc": _("Menor precio"),
    "price_desc": _("Mayor precio"),
    "title": _("De la A a la Z"),
}


@dataclass(frozen=True, slots=True)
class FilterChip:
    """A chosen filter, or the sort order that a search text asks for.

    `kind` is `categories`, `brands`, `ages`, `prices`, `on_sale` or `sort`. Chips of `on_sale` and `sort` have no
    `label`, because their text is always the same.
    """

    kind: str
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class BrowserChoices:
    """The choices (filters and sort order) in the browser, and React props of the elements that change them.

    `count` is the number of chosen filters.
    """

    chips: list[FilterChip]
    count: int
    is_busy: bool
    sort: Any
    box: Any
    price: Any
    remove_chip: Any
    clear: Any
    earlier: Any
    more: Any


CHOICES = view(SCRIPT, "useChoices", BrowserChoices)
IS_WIDE: rx.Var[bool] = hook(SCRIPT, "useIsWide").to(bool)
"""True if the screen has room for the filters next to the list."""


class CatalogChoices(rx.Component):
    """Wrapper of the elements that display or change the filters and the sort order (spec: view rules 6)."""

    library = SCRIPT
    tag = "CatalogChoices"
    state: rx.Var[str]
    answer: rx.Var[Any]
    step: rx.Var[int]
    max_cards: rx.Var[int]
    on_browse: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


def facet_group(
    kind: str,
    facets: ArrayVar[list[Facet]],
    title: str,
    test_id: str,
    inner: ArrayVar[list[str]] | None = None,
) -> rx.Component:
    """Build the checkboxes of one filter. Values that are in `inner` are indented below the value before them."""

    def box(facet: ObjectVar[Facet]) -> rx.Component:
        is_inner = inner.contains(facet.value) if inner is not None else False
        return rx.el.label(
            rx.el.input(special_props=[props(CHOICES.box, kind, facet.value)]),
            rx.el.span(facet.label, class_name="check__label"),
            rx.el.span(grouped(facet.count), class_name="check__count"),
            class_name=rx.cond(is_inner, "check check--inner", "check"),
            key=facet.value,
        )

    return rx.cond(
        facets.length() > 0,
        rx.el.fieldset(
            rx.el.legend(title, class_name="facet__title"),
            rx.foreach(facets, box),
            class_name="facet",
            data_testid=test_id,
        ),
    )


def sale_filter() -> rx.Component:
    """Build the checkbox that selects only products on sale."""
    return rx.el.label(
        rx.el.input(data_testid="filter-sale", special_props=[props(CHOICES.box, "on_sale", "")]),
        rx.el.span(_("Solo con descuento"), class_name="check__label"),
        class_name="check check--lone",
    )


def price_filter() -> rx.Component:
    """Build two inputs for the lowest and the highest price."""

    def bound(name: str, label: str, hint: str) -> rx.Component:
        return rx.el.label(
            rx.el.span(label, class_name="price-range__label"),
            rx.el.input(
                type="text",
                placeholder=hint,
                class_name="field__input",
                auto_complete="off",
                max_length=15,
                data_testid=f"filter-{name}",
                custom_attrs={"inputMode": "numeric", "enterKeyHint": "done"},
                special_props=[props(CHOICES.price, name)],
            ),
        )

    return rx.el.fieldset(
        rx.el.legend(_("Precio"), class_name="facet__title"),
        rx.el.div(
            bound("lowest", _("Desde ($)"), "0"),
            bound("highest", _("Hasta ($)"), _("Sin límite")),
            class_name="price-range",
        ),
        class_name="facet",
        data_testid="filter-price",
    )


def sort_select() -> rx.Component:
    """Build the select element of the sort order."""
    return rx.el.label(
        rx.el.span(_("Ordenar por"), class_name="sort__label"),
        rx.el.span(
            rx.el.select(
                *(rx.el.option(label, value=value) for value, label in SORTS.items()),
                class_name="sort__select",
                data_testid="sort",
                special_props=[CHOICES.sort],
            ),
            icon("down", size=16),
            class_name="select",
        ),
        class_name="sort",
    )


def filter_chips() -> rx.Component:
    """Build the choices that were made, each with a remove button."""

    def chip(item: ObjectVar[FilterChip]) -> rx.Component:
        default_label = rx.match(
            item.kind, ("on_sale", _("Con descuento")), ("sort", SORTS["price_asc"]), _("Precio")
        )
        named = rx.cond(item.kind == "ages", _("{ages} años").format(ages=item.label), item.label)
        label = rx.cond(item.label == "", default_label, named)
        return rx.el.li(
            rx.el.button(
                label,
                icon("close", size=16),
                type="button",
                class_name="chip",
                aria_label=_("Quitar el filtro {name}").format(name=label),
                special_props=[props(CHOICES.remove_chip, item)],
            ),
            key=f"{item.kind} {item.value}",
        )

    clear = rx.el.button(
        _("Borrar filtros"),
        type="button",
        class_name="chip chip--clear",
        data_testid="clear-filters",
        special_props=[CHOICES.clear],
    )
    made = rx.el.ul(
        rx.foreach(CHOICES.chips, chip),
        rx.el.li(clear),
        class_name="chips",
        aria_label=_("Filtros escogidos"),
    )
    return KeepFocus.create(rx.cond(CHOICES.chips.length() > 0, made), buttons=".chip")


def filter_count() -> rx.Component:
    """Build the filters' name and the number of chosen filters."""
    count = CHOICES.count
    return rx.fragment(_("Filtrar"), rx.cond(count > 0, rx.el.span(count, class_name="filters-count")))


def clear_filters_button() -> rx.Component:
    """Build the button that removes all filters. It is hidden if no filter is chosen."""
    button = rx.el.button(
        _("Quitar los filtros"),
        type="button",
        class_name="button button--primary",
        special_props=[CHOICES.clear],
    )
    return rx.cond(CHOICES.chips.length() > 0, button)


def earlier_button(path: rx.Var[str]) -> rx.Component:
    """Build the button for the products before the displayed ones."""
    return rx.el.div(
        _list_button(_("Ver los anteriores"), path, CHOICES.earlier, "show-earlier"),
        class_name="more more--before",
    )


def more_button(shown: NumberVar[int], total: NumberVar[int], path: rx.Var[str]) -> rx.Component:
    """Render how many of the products are displayed, with a bar, and the button that displays more."""
    button = _list_button(_("Ver más"), path, CHOICES.more, "show-more")
    return rx.el.div(
        rx.el.p(
            _("Viste {shown} de {total}").format(shown=grouped(shown), total=grouped(total)),
            class_name="more__count",
            data_testid="shown-count",
        ),
        rx.el.progress(max=total, value=shown, class_name="more__bar", aria_hidden="true"),
        rx.cond(shown < total, button),
        class_name="more",
    )


def _list_button(label: str, path: rx.Var[str], button_props: Any, test_id: str) -> rx.Component:
    """Build a button that loads more products of the list.

    If a URL can contain the state of the list, the button is a link, so that it works without scripts.
    """
    look = {"class_name": "button button--quiet", "data_testid": test_id, "special_props": [button_props]}
    return rx.cond(path != "", rx.el.a(label, href=path, **look), rx.el.button(label, type="button", **look))
