"""The filters of a list: a search, quick filters, all filters behind the button «Filtros», and the active filters.

The filters are query parameters of the list's address: see `backend.office.listing.ListView`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.listing import ActiveFilter, ListView
from storefront.components.forms import select_field
from storefront.office.icons import icon
from storefront.reflex_ext.hooks import ABSENT


@dataclass(frozen=True, slots=True)
class ListFilters:
    """The filters of one list.

    Attributes:
        name: prefix of the fields' element ids.
        place: the screen's address.
        list_view: the variable of the list's `ListView`.
        on_filter: the event handler that receives the form's filters.
        all_label: the label of the link that removes all filters.
    """

    name: str
    place: str
    list_view: ObjectVar[ListView]
    on_filter: Any
    all_label: str = _("Todos")

    def bar(
        self,
        search: rx.Component | None,
        quick: Sequence[tuple[str, str, str]],
        filters: rx.Component | None,
    ) -> rx.Component:
        """Render the search and all filters.

        Args:
            search: the search field: see `search`; None if the list has none.
            quick: the quick filters, each as label, field and value.
            filters: the form with all filters: see `form`; None if there are only quick filters.
        """
        links = (
            rx.el.a(
                text,
                href=f"{self.place}{query}",
                class_name="o-quick",
                custom_attrs={"aria-current": rx.cond(is_on, "true", ABSENT)},
            )
            for text, query, is_on in (
                (self.all_label, "", self.list_view.active.length() == 0),
                *(
                    (text, f"?{name}={value}", self.list_view.filters[name] == value)
                    for text, name, value in quick
                ),
            )
        )
        parts = [search, rx.el.nav(*links, aria_label=_("Filtros de siempre"), class_name="o-quicks")]
        if filters is not None:
            head = rx.el.summary(icon("sliders", size=20), _("Filtros"), class_name="o-disclosure")
            parts.append(rx.el.details(head, filters))
        return rx.el.div(
            *(part for part in parts if part is not None),
            rx.cond(self.list_view.active.length() > 0, self._active_filters()),
            class_name="o-filters",
        )

    def form(self, submit: str, *fields: rx.Component) -> rx.Component:
        """Render the form of all filters."""
        return rx.el.form(
            *fields,
            rx.el.button(submit, type="submit", class_name="button button--dark button--small"),
            class_name="o-filters__form",
            key=self.list_view.filters.to_string(),
            on_submit=self.on_filter,
        )

    def choice(
        self, name: str, label: str, any_label: str, options: dict[str, str] | list[rx.Component]
    ) -> rx.Component:
        """Render a select field. Its first option, `any_label`, turns the filter off."""
        if isinstance(options, dict):
            options = [rx.el.option(text, value=value) for value, text in options.items()]
        return select_field(
            label,
            [rx.el.option(any_label, value=""), *options],
            element_id=f"{self.name}-{name}",
            problem=rx.Var.create(""),
            live="",
            name=name,
            default_value=self.list_view.filters[name],
        )

    def day(self, name: str, label: str) -> rx.Component:
        """Render a date field, with the browser's own calendar."""
        return rx.el.div(
            rx.el.label(label, html_for=f"{self.name}-{name}", class_name="field__label"),
            rx.el.input(
                id=rx.Var.create(f"{self.name}-{name}"),
                type="date",
                name=name,
                default_value=self.list_view.filters[name],
                class_name="field__input",
            ),
            class_name="field",
        )

    def search(self, label: str, placeholder: str, longest: int) -> rx.Component:
        """Render the search field. The placeholder lists the searchable data."""
        return rx.el.form(
            rx.el.label(label, html_for=f"{self.name}-q", class_name="sr-only"),
            icon("search", size=20),
            rx.el.input(
                id=rx.Var.create(f"{self.name}-q"),
                name="q",
                type="search",
                default_value=self.list_view.filters["q"],
                placeholder=placeholder,
                max_length=longest,
                auto_complete="off",
                enter_key_hint="search",
                class_name="field__input o-find__input",
                data_screen_search="",
                data_testid=f"{self.name}-search",
            ),
            class_name="o-find",
            role="search",
            key=self.list_view.filters["q"],
            on_submit=self.on_filter,
        )

    def _active_filters(self) -> rx.Component:
        def active_filter(active: ObjectVar[ActiveFilter]) -> rx.Component:
            return rx.el.li(
                rx.el.a(
                    active.label,
                    rx.el.span(_(" (quitar)"), class_name="sr-only"),
                    icon("close", size=16),
                    href=f"{self.place}{active.without}",
                    class_name="o-active",
                ),
                key=active.label,
            )

        return rx.el.ul(
            rx.foreach(self.list_view.active, active_filter),
            class_name="o-actives",
            aria_label=_("Filtros puestos"),
        )
