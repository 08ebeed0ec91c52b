"""The shop's own data: how each part of it is written, for whoever types it (`trompo init`, the office's form)."""

import re
from collections.abc import Callable

from stdnum.co import nit

from backend.core.texts import _
from backend.core.web.contact import invalid, phone_digits, require_email, require_length
from backend.shipping.municipalities import municipality_named

Rule = Callable[[str], str]
"""The text as it is stored; a `PydanticCustomError` says what is wrong with it."""
_TOLL_FREE = re.compile(r"0?18000\d{5,6}")
_WHATSAPP = re.compile(r"\+?[0-9]{8,15}")


def _line(most: int, missing: str = "") -> Rule:
    def rule(text: str) -> str:
        if not text and not missing:
            return ""
        return require_length(text, 1 if not missing else 2, most, missing)

    return rule


def _nit(text: str) -> str:
    if not text or not nit.is_valid(text):
        raise invalid(_("Revisa el NIT: escríbelo con su dígito de verificación, como 900.123.456-8."))
    return str(nit.format(nit.compact(text)))


def _phone(text: str) -> str:
    if not phone_digits(text) and not _TOLL_FREE.fullmatch(re.sub(r"[ ()-]", "", text)):
        raise invalid(_("Escribe un teléfono de 10 dígitos, como 601 555 0123 o 300 123 4567."))
    return text


def _carriers_phone(text: str) -> str:
    digits = phone_digits(text)
    if not digits:
        raise invalid(_("Escribe un teléfono de 10 dígitos, como 601 555 0123 o 300 123 4567."))
    return digits


def _whatsapp(text: str) -> str:
    digits = re.sub(r"[ ().-]", "", text)
    if digits and not _WHATSAPP.fullmatch(digits):
        raise invalid(_("Escribe el número con su indicativo, como 57 300 123 4567, o déjalo vacío."))
    return digits


def _town(text: str) -> str:
    city, _comma, department = text.rpartition(", ")
    town = municipality_named(city, department) if city else None
    if town is None:
        raise invalid(_("Elige el municipio de la lista."))
    return town.code


RULES: dict[str, Rule] = {
    "store_name": _line(60, _("Escribe el nombre de la tienda.")),
    "store_legal_name": _line(120, _("Escribe la razón social.")),
    "store_nit": _nit,
    "store_address": _line(200),
    "store_notice_address": _line(200),
    "store_phone": _phone,
    "store_email": require_email,
    "store_whatsapp": _whatsapp,
    "store_hours": _line(100),
    "store_about": _line(300),
    "carrier_origin_company": _line(60, _("Escribe la empresa.")),
    "carrier_origin_first_name": _line(40, _("Escribe el nombre.")),
    "carrier_origin_last_name": _line(40, _("Escribe el apellido.")),
    "carrier_origin_phone": _carriers_phone,
    "carrier_origin_email": require_email,
    "town": _town,
    "carrier_origin_address": _line(100, _("Escribe la dirección de la bodega.")),
    "carrier_origin_suburb": _line(60),
    "carrier_origin_cross_street": _line(60),
    "carrier_origin_reference": _line(60),
}
"""By the names of the settings; `town` is the warehouse's municipality, and its code what is stored."""
