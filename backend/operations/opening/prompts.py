"""What `trompo init` asks at a terminal: who the shop is, and where its packages start."""

from functools import partial

import typer
from pydantic_core import PydanticCustomError

from backend.core.config.settings import Settings
from backend.core.web.contact import one_line
from backend.office.settings.shop_data_rules import RULES
from backend.office_settings import DEMO
from backend.shipping.municipalities import municipalities_named, municipality

QUESTIONS = (
    ("store_name", "Name of the shop"),
    ("store_legal_name", "Legal name"),
    ("store_nit", "NIT, with its check digit"),
    ("store_phone", "Telephone for shoppers"),
    ("store_email", "E-mail for shoppers"),
    ("store_address", "Address of the shop, if it has one to show"),
    ("store_whatsapp", "WhatsApp with 57 first, if there is one"),
    ("carrier_origin_company", "Warehouse: company on the labels"),
    ("carrier_origin_first_name", "Warehouse: first name of who hands parcels over"),
    ("carrier_origin_last_name", "Warehouse: last name"),
    ("carrier_origin_email", "Warehouse: e-mail"),
    ("carrier_origin_phone", "Warehouse: telephone, ten digits"),
    ("carrier_origin_address", "Warehouse: address"),
    ("carrier_origin_suburb", "Warehouse: neighbourhood"),
    ("carrier_origin_cross_street", "Warehouse: cross street"),
    ("carrier_origin_reference", "Warehouse: what helps to find its door"),
)


def ask(effective: Settings, *, is_real: bool) -> dict[str, str]:
    """Ask for everything; what stands is offered as the answer. What does not fit is asked for again.

    A real shop is offered nothing of the demo shop's: who only presses Enter would have it on receipts and labels.

    Returns:
        What was answered otherwise than it stands, by the settings' names.
    """
    answers = {
        name: typer.prompt(
            question,
            default=_offered(effective, name, is_real=is_real),
            value_proc=partial(_fitting, name),
            err=True,
        )
        for name, question in QUESTIONS
    }
    is_demos = is_real and effective.carrier_origin_address == DEMO.carrier_origin_address
    answers["carrier_origin_dane_code"] = _ask_municipality(
        "" if is_demos else effective.carrier_origin_dane_code
    )
    return {name: value for name, value in answers.items() if value != getattr(effective, name)}


def _offered(effective: Settings, name: str, *, is_real: bool) -> str | None:
    """The answer of who only presses Enter; None where something must be typed."""
    value: str = getattr(effective, name)
    if not is_real or value != getattr(DEMO, name):
        return value
    try:
        return _fitting(name, "")
    except typer.BadParameter:
        return None


def _fitting(name: str, typed: str) -> str:
    try:
        return RULES[name](one_line(typed))
    except PydanticCustomError as error:
        raise typer.BadParameter(error.message()) from None


def _ask_municipality(code: str) -> str:
    """The code of the warehouse's municipality, which is asked for by its name until it names one."""
    known = municipality(code)
    while True:
        named = typer.prompt(
            "Warehouse: municipality, and its department after a comma if there are several",
            default=f"{known.name.partition(',')[0]}, {known.department}" if known else None,
            err=True,
        )
        city, _, department = named.partition(",")
        found = municipalities_named(city.strip(), department.strip())
        if len(found) == 1:
            return found[0].code
        several = ", ".join(f"{one.name} ({one.department})" for one in found)
        typer.echo(f"There are several: {several}." if found else "There is none of this name.", err=True)
