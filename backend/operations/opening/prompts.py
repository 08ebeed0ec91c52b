"""Questions of `trompo init` at a terminal: the shop's identity, and the address of its warehouse."""

from functools import partial

import typer
from pydantic_core import PydanticCustomError

from backend.core.config.settings import Settings
from backend.core.web.contact import to_one_line
from backend.office.settings.shop_data_rules import RULES
from backend.office_settings import DEMO
from backend.shipping.municipalities import find_municipalities_by_name, find_municipality_by_code

QUESTIONS = (
    ("store_name", "Name of the shop"),
    ("store_legal_name", "Legal name"),
    ("store_nit", "NIT, with its check digit"),
    ("store_phone", "Telephone for customers"),
    ("store_email", "E-mail for customers"),
    ("store_address", "Address of the shop, if customers may see it"),
    ("store_whatsapp", "WhatsApp number starting with 57, if there is one"),
    ("carrier_origin_company", "Warehouse: company on the labels"),
    ("carrier_origin_first_name", "Warehouse: first name of the person who hands over parcels"),
    ("carrier_origin_last_name", "Warehouse: last name"),
    ("carrier_origin_email", "Warehouse: e-mail"),
    ("carrier_origin_phone", "Warehouse: telephone, ten digits"),
    ("carrier_origin_address", "Warehouse: address"),
    ("carrier_origin_suburb", "Warehouse: neighbourhood"),
    ("carrier_origin_cross_street", "Warehouse: cross street"),
    ("carrier_origin_reference", "Warehouse: directions to its door"),
)


def ask_settings(effective: Settings, *, is_real: bool) -> dict[str, str]:
    """Ask for every value, with the stored value as the default. Repeat a question until its answer is valid.

    In production, values of the demo shop are not offered as defaults: pressing Enter would put them on receipts
    and labels.

    Returns:
        The answers that differ from the stored values, by the settings' names.
    """
    answers = {
        name: typer.prompt(
            question,
            default=_default_answer(effective, name, is_real=is_real),
            value_proc=partial(_validate_answer, name),
            err=True,
        )
        for name, question in QUESTIONS
    }
    is_demos = is_real and effective.carrier_origin_address == DEMO.carrier_origin_address
    answers["carrier_origin_dane_code"] = _ask_municipality(
        "" if is_demos else effective.carrier_origin_dane_code
    )
    return {name: value for name, value in answers.items() if value != getattr(effective, name)}


def _default_answer(effective: Settings, name: str, *, is_real: bool) -> str | None:
    """Return the default answer; None if an answer must be typed."""
    value: str = getattr(effective, name)
    if not is_real or value != getattr(DEMO, name):
        return value
    try:
        return _validate_answer(name, "")
    except typer.BadParameter:
        return None


def _validate_answer(name: str, typed: str) -> str:
    try:
        return RULES[name](to_one_line(typed))
    except PydanticCustomError as error:
        raise typer.BadParameter(error.message()) from None


def _ask_municipality(code: str) -> str:
    """Ask for the municipality of the warehouse until the answer matches exactly one. Return its DANE code."""
    current = find_municipality_by_code(code)
    while True:
        answer = typer.prompt(
            "Warehouse: municipality, and its department after a comma if there are several",
            default=f"{current.name.partition(',')[0]}, {current.department}" if current else None,
            err=True,
        )
        city, _, department = answer.partition(",")
        found = find_municipalities_by_name(city.strip(), department.strip())
        if len(found) == 1:
            return found[0].code
        several = ", ".join(f"{one.name} ({one.department})" for one in found)
        typer.echo(
            f"There are several: {several}." if found else "There is no municipality with this name.",
            err=True,
        )
