"""Parsing of the requests to `pagos/debitos.json`, as strict as the real gateway.

The encryption is checked first, then the rule of each field.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from backend.payment.providers.pse.requests import INITIALISATION, GatewayCredentials, decrypt
from backend.sandbox.gateway.responses import BANKS

MIN_AMOUNT = 1_600
"""Minimum payment in pesos. The real minimum is not published; other PSE providers state this one."""
MAX_AMOUNT = 200_000_000

PLAIN_FIELDS = ("public_key", "i", "lenguaje", "p")
"""Fields that the SDK does not encrypt. All others are encrypted."""

_AMOUNT = r"[0-9]{1,12}(\.[0-9]{1,2})?"
_DOCUMENTS = {
    "NIT": r"\d{7,10}",
    "CC": r"\d{5,15}",
    "CE": r"\d{4,8}",
    "TI": r"\d{4,20}",
    "PPN": r"[A-Za-z0-9]{4,12}",
    "SSN": r"\d{9}",
    "LIC": r"[A-Za-z0-9]{1,20}",
    "DNI": r"[A-Za-z0-9]{1,20}",
    "RFC": r"[A-Za-z0-9]{12,13}",
    "PEP": r"\d{7,15}",
    "PPT": r"\d{7,15}",
}


class Unreadable(Exception):
    """The body is not encrypted as the protocol requires, or it is encrypted with a key other than the merchant's."""


def read_fields(body: Any, keys: GatewayCredentials) -> dict[str, Any]:
    """Return the decrypted fields of the request, by their names in the gateway's format.

    Raises:
        Unreadable: the body is not an object, a field that is sent unencrypted (such as the public key) does not
            have the expected value, or an encrypted field cannot be decrypted.
    """
    private_key = keys.private_key.get_secret_value()
    plain_fields = {
        "public_key": keys.public_key.get_secret_value(),
        "i": INITIALISATION,
        "lenguaje": "javascript",
        "p": b64encode(bytes.fromhex(private_key)).decode(),
    }
    if not isinstance(body, Mapping) or any(body.get(name) != value for name, value in plain_fields.items()):
        raise Unreadable
    hidden = {name: value for name, value in body.items() if name not in PLAIN_FIELDS}

    def reveal(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {str(name): reveal(inner) for name, inner in value.items()}
        if not isinstance(value, str):
            raise Unreadable
        try:
            return decrypt(value, private_key)
        except ValueError:
            raise Unreadable from None

    fields = {str(name): reveal(value) for name, value in hidden.items()}
    if fields.get("enpruebas") not in ("TRUE", "FALSE") or fields.get("test") != fields["enpruebas"]:
        raise Unreadable
    return fields


def find_refusal_code(fields: Mapping[str, Any]) -> str | None:
    """Return the bank network's error code if the bank is unknown or the amount is above `MAX_AMOUNT`; else None.

    The caller has checked the fields: see `find_errors`.
    """
    if fields["banco"] not in BANKS:
        return "FAIL_BANKNOTEXISTSORDISABLED"
    return "FAIL_EXCEEDEDLIMIT" if Decimal(fields["valor"]) > MAX_AMOUNT else None


def find_errors(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the errors of the fields as pairs of code and message; empty if there are none."""
    errors = [
        ("E001", f"El campo {name} es obligatorio o no es válido")
        for name, is_right in _RULES.items()
        if not is_right(_get_text(fields, name))
    ]
    if errors:
        return errors
    if _document_pattern(fields) is None:
        errors.append(("E002", "El tipo de documento no corresponde al tipo de persona"))
    elif not re.fullmatch(_document_pattern(fields) or "", _get_text(fields, "documento"), re.ASCII):
        errors.append(("E003", "El número de documento no es válido"))
    value, parts = (
        Decimal(fields["valor"]),
        [_parse_number(fields, name) for name in ("iva", "baseiva", "ico")],
    )
    if None in parts or (any(parts) and sum(part or 0 for part in parts) != value):
        errors.append(("E004", "El valor no corresponde a la suma de la base y los impuestos"))
    if value < MIN_AMOUNT:
        errors.append(("E014", "La transaccion no se puede iniciar, monto minimo no superado"))
    return errors


def confirmation_method(fields: Mapping[str, Any]) -> str:
    """Return the HTTP method that the merchant chose for notifications: GET or POST (wire: gateway 1.4)."""
    method = fields.get("method_confirmation") or fields.get("metodoconfirmacion") or "GET"
    return "POST" if str(method).upper() == "POST" else "GET"


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _matches(shape: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(shape, text) is not None


_RULES: dict[str, Callable[[str], bool]] = {
    "banco": _matches(r"[0-9]{1,6}"),
    "factura": _matches(r"\S{1,60}"),
    "descripcion": _matches(r'[^|"\n]{1,80}'),
    "valor": _matches(_AMOUNT),
    "moneda": _matches("COP"),
    "tipo_persona": _matches("[01]"),
    "tipo_doc": _matches("|".join(_DOCUMENTS)),
    "documento": _matches(r"\S+"),
    "nombres": _matches(r'[^|"]{1,100}'),
    "apellidos": _matches(r'[^|"]{1,100}'),
    "email": _matches(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "pais": _matches("CO"),
    "celular": _matches(r"[0-9]{10}"),
    "ip": _matches(r"[0-9.]{7,15}|[0-9a-fA-F:.]{2,45}"),
    "url_respuesta": _is_web_address,
    "url_confirmacion": _is_web_address,
}


def _document_pattern(fields: Mapping[str, Any]) -> str | None:
    """Return the pattern of the payer's identity number.

    None if the type of the identity document does not fit the payer: companies have a NIT, persons never have one.
    """
    is_company, kind = fields["tipo_persona"] == "1", fields["tipo_doc"]
    return _DOCUMENTS[kind] if is_company == (kind == "NIT") else None


def _parse_number(fields: Mapping[str, Any], name: str) -> Decimal | None:
    text = _get_text(fields, name) or "0"
    return Decimal(text) if re.fullmatch(_AMOUNT, text) else None


def _get_text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name, "")
    return value if isinstance(value, str) else ""
