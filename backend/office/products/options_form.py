"""Options of the product form, such as colour and size: their values, problems and merge."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from backend.catalog.colors import find_named_color, parse_color, read_chosen_color
from backend.catalog.products.options import Option
from backend.core.texts import _

MAX_FORM_OPTIONS = 3
"""Number of options that the form can change. A product with more of them is changed by API clients."""
MAX_OPTION_LENGTH = 100
NO_COLOR = "#ffffff"
"""Value of a colour field that nobody changed."""


@dataclass(frozen=True, slots=True)
class ValueDraft:
    """A value of an option. `key` is its id; for a new value it begins with `new-`. `color` is empty or `#rrggbb`."""

    key: str
    value: str
    color: str = ""


@dataclass(frozen=True, slots=True)
class OptionDraft:
    """An option. `key` is its id; empty for a new one."""

    key: str
    title: str
    values: list[ValueDraft] = field(default_factory=list)


def to_option_drafts(options: Iterable[Option]) -> list[OptionDraft]:
    """Return the stored options as drafts."""
    return [
        OptionDraft(
            option.row.id,
            option.row.title,
            [ValueDraft(value.id, value.value, read_chosen_color(value.meta)) for value in option.values],
        )
        for option in options
    ]


def normalize_options(options: Sequence[OptionDraft]) -> list[OptionDraft]:
    """Return the options without empty values and without empty new options.

    A value's colour is left out if the name of the value already means this colour.
    """
    return [
        replace(option, values=[_normalize_value(value) for value in option.values if value.value])
        for option in options
        if option.key or option.title or any(value.value for value in option.values)
    ]


def _normalize_value(value: ValueDraft) -> ValueDraft:
    color = parse_color(value.color)
    return replace(value, color="" if color in (NO_COLOR, find_named_color(value.value)) else color)


def find_option_problems(options: Sequence[OptionDraft], *, takes_titles: bool) -> dict[str, str]:
    """Return the problems by field: `option-1` for the title of the first option, and `options`.

    Args:
        options: normalised by `normalize_options`.
        takes_titles: True if the first option gets the titles of the product's variants as values.
    """
    problems: dict[str, str] = {}
    seen: set[str] = set()
    for number, option in enumerate(options, start=1):
        values = [value.value.casefold() for value in option.values]
        if not option.title:
            problem = _("Escribe el nombre de la opción, como Color.") if values else ""
        elif option.title.casefold() in seen:
            problem = _("Dos opciones se llaman igual.")
        elif not values and not (takes_titles and number == 1):
            problem = _("Escribe por lo menos un valor, como Rojo.")
        elif len(set(values)) < len(values):
            problem = _("Un valor está dos veces.")
        elif max(map(len, [option.title, *values])) > MAX_OPTION_LENGTH:
            problem = _("Máximo {n} letras.").format(n=MAX_OPTION_LENGTH)
        else:
            problem = ""
        if problem:
            problems[f"option-{number}"] = problem
        seen.add(option.title.casefold())
    return problems
