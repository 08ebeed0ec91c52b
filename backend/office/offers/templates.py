"""Templates of offers: forms that staff only have to check, with the days of this year's season."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from backend.core.texts import _
from backend.office.offers.form import PRODUCTS, SHIPPING, OfferForm
from backend.promotions.kinds import MethodType

THURSDAY = 3
NOVEMBER, DECEMBER = 11, 12


@dataclass(frozen=True, slots=True)
class OfferTemplate:
    """A template of an offer: its title, and the function that fills the offer form on a given day."""

    title: str
    fill: Callable[[date], OfferForm]


def fill_template(name: str, today: date) -> OfferForm:
    """Return the form of this template; the empty form if there is no such template."""
    template = TEMPLATES.get(name)
    return template.fill(today) if template else OfferForm()


def _fill_black_friday(today: date) -> OfferForm:
    """Return an offer from the Friday after the fourth Thursday of November to the Monday after it."""
    friday = _find_black_friday(today.year)
    if today > friday + timedelta(days=3):
        friday = _find_black_friday(today.year + 1)
    return OfferForm(
        code=f"Black Friday {friday.year}",
        way="automatic",
        value="20",
        starts=friday.isoformat(),
        ends=(friday + timedelta(days=3)).isoformat(),
    )


def _find_black_friday(year: int) -> date:
    first = date(year, NOVEMBER, 1)
    return first + timedelta(days=(THURSDAY - first.weekday()) % 7 + 22)


def _fill_december(today: date) -> OfferForm:
    """Return an offer from December 1 to December 24."""
    year = today.year + (today > date(today.year, DECEMBER, 24))
    return OfferForm(
        code=_("Diciembre {year}").format(year=year),
        way="automatic",
        value="10",
        starts=date(year, DECEMBER, 1).isoformat(),
        ends=date(year, DECEMBER, 24).isoformat(),
    )


def _fill_free_shipping(_today: date) -> OfferForm:
    return OfferForm(code=_("Envío gratis"), way="automatic", value="100", target=SHIPPING, minimum="150000")


def _fill_two_for_one(_today: date) -> OfferForm:
    return OfferForm(code="2×1", way="automatic", method="2x1", target=PRODUCTS)


def _fill_welcome(_today: date) -> OfferForm:
    return OfferForm(code=_("BIENVENIDA"), method=MethodType.PERCENTAGE, value="10", each="1")


TEMPLATES = {
    "black-friday": OfferTemplate("Black Friday", _fill_black_friday),
    "diciembre": OfferTemplate(_("Diciembre"), _fill_december),
    "envio-gratis": OfferTemplate(_("Envío gratis desde…"), _fill_free_shipping),
    "2x1": OfferTemplate("2×1", _fill_two_for_one),
    "bienvenida": OfferTemplate(_("Bienvenida, una vez por cliente"), _fill_welcome),
}
"""Templates by their names in addresses."""
