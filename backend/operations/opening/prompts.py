"""Questions of `trompo init` at a terminal: the shop's identity, and the address of its warehouse."""

from functools import partial

import typer
from pydantic_core import PydanticCustomError

from backend.core.config.settings import Settings
from backend.core.texts import _
from backend.core.web.contact import to_one_line
from backend.office.settings.shop_data_rules import RULES
from backend.office_settings import DEMO, MUST_BE_OWN, OWN_WAREHOUSE
from backend.shipping.municipalities import (
    Municipality,
    find_municipalities_by_name,
    find_municipality_by_code,
    find_municipality_by_dane_code,
)

QUESTIONS = (
    ("store_name", _("Nombre de la tienda")),
    ("store_legal_name", _("Razón social")),
    ("store_nit", _("NIT, con su dígito de verificación")),
    ("store_phone", _("Teléfono para los clientes")),
    ("store_email", _("Correo para los clientes")),
    ("store_address", _("Dirección de la tienda, si los clientes pueden verla")),
    ("store_whatsapp", _("Número de WhatsApp, que empieza por 57, si hay uno")),
    ("carrier_origin_company", _("Bodega: empresa en las guías")),
    ("carrier_origin_first_name", _("Bodega: nombre de quien entrega los paquetes")),
    ("carrier_origin_last_name", _("Bodega: apellido")),
    ("carrier_origin_email", _("Bodega: correo")),
    ("carrier_origin_phone", _("Bodega: teléfono de diez dígitos")),
    ("carrier_origin_address", _("Bodega: dirección")),
    ("carrier_origin_suburb", _("Bodega: barrio")),
    ("carrier_origin_cross_street", _("Bodega: calle que cruza")),
    ("carrier_origin_reference", _("Bodega: indicaciones para llegar a la puerta")),
)
PROPOSALS = {
    "carrier_origin_company": "store_legal_name",
    "carrier_origin_email": "store_email",
    "carrier_origin_phone": "store_phone",
    "carrier_origin_address": "store_address",
}
"""Settings of the warehouse, each with the setting whose answer is proposed as its default."""
MUNICIPALITY = "carrier_origin_dane_code"


def ask_settings(effective: Settings, answers: dict[str, str]) -> None:
    """Ask for every value, with the stored value as the default. Repeat a question until its answer is valid.

    Values of the demo shop are not offered as defaults: pressing Enter would put them on receipts and labels.

    Args:
        effective: the stored values.
        answers: receives each answer when it is given, by the setting's name.

    Raises:
        typer.Abort: the questions were interrupted. `answers` has the answers until then.
    """
    for name, question in QUESTIONS:
        answers[name] = typer.prompt(
            question,
            default=_default_answer(effective, answers, name),
            value_proc=partial(_validate_answer, name),
            err=True,
        )
    is_demos = effective.carrier_origin_address == DEMO.carrier_origin_address
    answers[MUNICIPALITY] = _ask_municipality("" if is_demos else effective.carrier_origin_dane_code)


def _default_answer(effective: Settings, answers: dict[str, str], name: str) -> str | None:
    """Return the default answer; None if an answer must be typed."""
    value: str = getattr(effective, name)
    if value == getattr(DEMO, name):
        value = answers.get(PROPOSALS.get(name, ""), "")
    try:
        return _validate_answer(name, value)
    except typer.BadParameter:
        return None


def _validate_answer(name: str, typed: str) -> str:
    rule = RULES[name]
    try:
        answer = rule(to_one_line(typed))
    except PydanticCustomError as error:
        raise typer.BadParameter(error.message()) from None
    if name in (*MUST_BE_OWN, *OWN_WAREHOUSE) and answer == rule(getattr(DEMO, name)):
        raise typer.BadParameter(_("Ese es el dato de la tienda de demostración. Escribe el de tu tienda."))
    return answer


def _ask_municipality(code: str) -> str:
    """Ask for the municipality of the warehouse until the answer matches exactly one. Return its DANE code."""
    current = find_municipality_by_code(code)
    while True:
        answer = typer.prompt(
            _("Bodega: municipio, con su departamento después de una coma si hay varios, o su código DANE"),
            default=f"{current.name.partition(',')[0]}, {current.department}" if current else None,
            err=True,
        )
        found = _find_municipalities(answer.strip())
        if len(found) == 1:
            return found[0].code
        several = ", ".join(f"{one.name} ({one.department})" for one in found)
        typer.echo(
            _("Hay varios: {several}.").format(several=several) if found else _("No hay un municipio así."),
            err=True,
        )


def _find_municipalities(answer: str) -> list[Municipality]:
    """Return the municipalities with this DANE code (five or eight digits) or this name."""
    if answer.isdecimal():
        one = find_municipality_by_code(answer) or find_municipality_by_dane_code(answer)
        return [one] if one else []
    city, _comma, department = answer.partition(",")
    return find_municipalities_by_name(city.strip(), department.strip())
