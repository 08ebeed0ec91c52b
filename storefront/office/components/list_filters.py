"""How a long list is narrowed: a search, what is asked for most, every filter behind «Filtros», and what is on.

What is asked for stands in the address. A screen's `asked` are its parts, its `active` what is on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.office.views import ActiveFilter
from storefront.components.forms import select_field
from storefront.office.icons import icon
from storefront.reflex_ext.hooks import ABSENT


@dataclass(frozen=True, slots=True)
class Finding:
    """How one list is narrowed.

    Attributes:
        name: what the ids of its fields begin with.
        place: the screen's address.
        asked: what is asked for, by the parts of the address.
        active: the `ActiveFilter`s that are on.
        ask: the event handler that takes a form with what is asked for.
        everything: what the list is called that nothing narrows.
    """

    name: str
    place: str
    asked: ObjectVar[dict[str, str]]
    active: ArrayVar[list[ActiveFilter]]
    ask: Any
    everything: str = _("Todos")

    def bar(
        self,
        label: str,
        placeholder: str,
        longest: int,
        quick: Sequence[tuple[str, str, Any]],
        filters: rx.Component,
    ) -> rx.Component:
        """All of it.

        Args:
            label: what the search is called.
            placeholder: what can be typed into it.
            longest: the most letters of it.
            quick: what is asked for most: its name, its query, and whether it is on.
            filters: see `form`.
        """
        links = (
            rx.el.a(
                text,
                href=f"{self.place}{query}",
                class_name="o-quick",
                custom_attrs={"aria-current": rx.cond(is_on, "true", ABSENT)},
            )
            for text, query, is_on in ((self.everything, "", self.active.length() == 0), *quick)
        )
        return rx.el.div(
            self._search(label, placeholder, longest),
            rx.el.nav(*links, aria_label=_("Filtros de siempre"), class_name="o-quicks"),
            rx.el.details(
                rx.el.summary(icon("sliders", size=20), _("Filtros"), class_name="o-disclosure"), filters
            ),
            rx.cond(self.active.length() > 0, self._active()),
            class_name="o-filters",
        )

    def form(self, submit: str, *fields: rx.Component) -> rx.Component:
        """Every filter, and the button that asks for them."""
        return rx.el.form(
            *fields,
            rx.el.button(submit, type="submit", class_name="button button--dark button--small"),
            class_name="o-filters__form",
            key=rx.Var.create(self.asked).to_string(),
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
            default_value=self.asked[name],
        )

    def day(self, name: str, label: str) -> rx.Component:
        """A day of the calendar, which the telephone draws itself."""
        return rx.el.div(
            rx.el.label(label, html_for=f"{self.name}-{name}", class_name="field__label"),
            rx.el.input(
                id=rx.Var.create(f"{self.name}-{name}"),
                type="date",
                name=name,
                default_value=self.asked[name],
                class_name="field__input",
            ),
            class_name="field",
        )

    def _search(self, label: str, placeholder: str, longest: int) -> rx.Component:
        return rx.el.form(
            rx.el.label(label, html_for=f"{self.name}-q", class_name="sr-only"),
            icon("search", size=20),
            rx.el.input(
                id=rx.Var.create(f"{self.name}-q"),
                name="q",
                type="search",
                default_value=self.asked["q"],
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
            key=self.asked["q"],
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

        return rx.el.ul(rx.foreach(self.active, one), class_name="o-actives", aria_label=_("Filtros puestos"))
