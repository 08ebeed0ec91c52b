"""Rules that check and normalise typed values of the shop's data, for `trompo init` and the office's form."""

import re
from collections.abc import Callable

from stdnum.co import nit

from backend.core.texts import _
from backend.core.web.contact import field_error, parse_phone, require_email, require_length
from backend.shipping.municipalities import find_municipality_by_name

Rule = Callable[[str], str]
"""Return the text as it is stored; raise `PydanticCustomError` if it is invalid."""
_TOLL_FREE = re.compile(r"0?18000\d{5,6}")
_WHATSAPP = re.compile(r"\+?[0-9]{8,15}")


def _line_rule(max_length: int, missing: str = "") -> Rule:
    def rule(text: str) -> str:
        if not text and not missing:
            return ""
        return require_length(text, 1 if not missing else 2, max_length, missing)

    return rule


def _nit_rule(text: str) -> str:
    if not text or not nit.is_valid(text):
        raise field_error(_("Revisa el NIT: escríbelo con su dígito de verificación, como 800.197.268-4."))
    return str(nit.format(nit.compact(text)))


def _phone_rule(text: str) -> str:
    if not parse_phone(text) and not _TOLL_FREE.fullmatch(re.sub(r"[ ()-]", "", text)):
        raise field_error(_("Escribe un teléfono de 10 dígitos, como 601 555 0123 o 300 123 4567."))
    return text


def _carrier_phone_rule(text: str) -> str:
    digits = parse_phone(text)
    if not digits:
        raise field_error(_("Escribe un teléfono de 10 dígitos, como 601 555 0123 o 300 123 4567."))
    return digits


def _whatsapp_rule(text: str) -> str:
    digits = re.sub(r"[ ().-]", "", text)
    if digits and not _WHATSAPP.fullmatch(digits):
        raise field_error(_("Escribe el número con su indicativo, como 57 300 123 4567, o déjalo vacío."))
    return digits


def _town_rule(text: str) -> str:
    city, _comma, department = text.rpartition(", ")
    town = find_municipality_by_name(city, department) if city else None
    if town is None:
        raise field_error(_("Elige el municipio de la lista."))
    return town.code


RULES: dict[str, Rule] = {
    "store_name": _line_rule(60, _("Escribe el nombre de la tienda.")),
    "store_legal_name": _line_rule(120, _("Escribe la razón social.")),
    "store_nit": _nit_rule,
    "store_address": _line_rule(200),
    "store_notice_address": _line_rule(200),
    "store_phone": _phone_rule,
    "store_email": require_email,
    "store_whatsapp": _whatsapp_rule,
    "store_hours": _line_rule(100),
    "store_about": _line_rule(300),
    "carrier_origin_company": _line_rule(60, _("Escribe la empresa.")),
    "carrier_origin_first_name": _line_rule(40, _("Escribe el nombre.")),
    "carrier_origin_last_name": _line_rule(40, _("Escribe el apellido.")),
    "carrier_origin_phone": _carrier_phone_rule,
    "carrier_origin_email": require_email,
    "town": _town_rule,
    "carrier_origin_address": _line_rule(100, _("Escribe la dirección de la bodega.")),
    "carrier_origin_suburb": _line_rule(60),
    "carrier_origin_cross_street": _line_rule(60),
    "carrier_origin_reference": _line_rule(60),
}
"""Rules by setting. `town` is the warehouse's municipality; its code is stored."""
