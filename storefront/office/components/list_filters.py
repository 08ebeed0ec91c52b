"""The filters of a list: a search, the most used ones, all of them behind «Filtros», and those that are on.

They are the fields of the list's address: see `backend.office.listing.ListView`.
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
class Finding:
    """The filters of one list.

    Attributes:
        name: the ids of its fields begin with it.
        place: the screen's address.
        shown: the variable of the list's view.
        ask: the event handler that takes a form with filters.
        everything: names the list without a filter.
    """

    name: str
    place: str
    shown: ObjectVar[ListView]
    ask: Any
    everything: str = _("Todos")

    def bar(
        self,
        search: rx.Component | None,
        quick: Sequence[tuple[str, str, str]],
        filters: rx.Component | None,
    ) -> rx.Component:
        """Render all of it.

        Args:
            search: see `search`; None if the list has none.
            quick: the most used filters: the label, the field and its value.
            filters: see `form`; None if the quick ones are all.
        """
        links = (
            rx.el.a(
                text,
                href=f"{self.place}{query}",
                class_name="o-quick",
                custom_attrs={"aria-current": rx.cond(is_on, "true", ABSENT)},
            )
            for text, query, is_on in (
                (self.everything, "", self.shown.active.length() == 0),
                *((text, f"?{name}={value}", self.shown.asked[name] == value) for text, name, value in quick),
            )
        )
        parts = [search, rx.el.nav(*links, aria_label=_("Filtros de siempre"), class_name="o-quicks")]
        if filters is not None:
            head = rx.el.summary(icon("sliders", size=20), _("Filtros"), class_name="o-disclosure")
            parts.append(rx.el.details(head, filters))
        return rx.el.div(
            *(part for part in parts if part is not None),
            rx.cond(self.shown.active.length() > 0, self._active()),
            class_name="o-filters",
        )

    def form(self, submit: str, *fields: rx.Component) -> rx.Component:
        """Every filter, and the button that asks for them."""
        return rx.el.form(
            *fields,
            rx.el.button(submit, type="submit", class_name="button button--dark button--small"),
            class_name="o-filters__form",
            key=self.shown.asked.to_string(),
            on_submit=self.ask,
        )

    def choice(
        self, name: str, label: str, anything: str, options: dict[str, str] | list[rx.Component]
    ) -> rx.Component:
        """One of a few, or any."""
        if isinstance(options, dict):
            options = [rx.el.option(text, value=value) for value, text in options.items()]
        return select_field(
            label,
            [rx.el.option(anything, value=""), *options],
            element_id=f"{self.name}-{name}",
            problem=rx.Var.create(""),
            live="",
            name=name,
            default_value=self.shown.asked[name],
        )

    def day(self, name: str, label: str) -> rx.Component:
        """A day of the calendar, which the telephone draws itself."""
        return rx.el.div(
            rx.el.label(label, html_for=f"{self.name}-{name}", class_name="field__label"),
            rx.el.input(
                id=rx.Var.create(f"{self.name}-{name}"),
                type="date",
                name=name,
                default_value=self.shown.asked[name],
                class_name="field__input",
            ),
            class_name="field",
        )

    def search(self, label: str, placeholder: str, longest: int) -> rx.Component:
        """Render the search, with what can be typed into it as its placeholder."""
        return rx.el.form(
            rx.el.label(label, html_for=f"{self.name}-q", class_name="sr-only"),
            icon("search", size=20),
            rx.el.input(
                id=rx.Var.create(f"{self.name}-q"),
                name="q",
                type="search",
                default_value=self.shown.asked["q"],
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
            key=self.shown.asked["q"],
            on_submit=self.ask,
        )

    def _active(self) -> rx.Component:
        def one(active: ObjectVar[ActiveFilter]) -> rx.Component:
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
            rx.foreach(self.shown.active, one), class_name="o-actives", aria_label=_("Filtros puestos")
        )
