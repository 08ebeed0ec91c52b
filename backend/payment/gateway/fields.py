"""The body of a call with hidden fields: from the official SDK's keys to the wire's (wire: gateway 1.4)."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from backend.payment.gateway.crypto import INITIALISATION, encrypt, key_parameter
from backend.payment.gateway.types import BankPayment, GatewayCredentials

WIRE_KEYS = {
    "bank": "banco",
    "invoice": "factura",
    "description": "descripcion",
    "value": "valor",
    "tax": "iva",
    "tax_base": "baseiva",
    "ico": "ico",
    "currency": "moneda",
    "type_person": "tipo_persona",
    "doc_type": "tipo_doc",
    "doc_number": "documento",
    "name": "nombres",
    "last_name": "apellidos",
    "email": "email",
    "country": "pais",
    "department": "depto",
    "city": "ciudad",
    "phone": "telefono",
    "cell_phone": "celular",
    "address": "direccion",
    "ip": "ip",
    "url_response": "url_respuesta",
    "url_confirmation": "url_confirmacion",
    "method_confirmation": "method_confirmation",
    "metodoconfirmacion": "metodoconfirmacion",
    "end_date": "fechaexpiracion",
}
"""The wire's key of an SDK key; a key that is not here stays as it is."""

LANGUAGE = "javascript"
INTEGRATION = "P44"
"""How the Node SDK names itself in `extras_epayco`."""


def sdk_fields(payment: BankPayment) -> dict[str, str]:
    """The payment by SDK key, in the SDK's order, every value as text.

    The confirmation's method goes under both of its names: which one the server reads is not published.
    """
    fields: dict[str, str] = {}
    for key, value in asdict(payment).items():
        if key == "extra1" and not value:
            continue
        fields[key] = str(value)
        if key == "method_confirmation":
            fields["metodoconfirmacion"] = str(value)
    return fields


def hidden_body(
    fields: Mapping[str, str], credentials: GatewayCredentials, *, test_mode: bool
) -> dict[str, Any]:
    """The JSON body for the fields: as the SDK makes it, to the order of the keys."""
    private_key = credentials.private_key.get_secret_value()

    def hide(text: str) -> str:
        return encrypt(text, private_key)

    test = "TRUE" if test_mode else "FALSE"
    body: dict[str, Any] = {WIRE_KEYS.get(key, key): hide(value) for key, value in fields.items()}
    body["extras_epayco"] = {"extra5": hide(INTEGRATION)}
    body["test"] = hide(test)
    body["public_key"] = credentials.public_key.get_secret_value()
    body["i"] = INITIALISATION
    body["enpruebas"] = hide(test)
    body["lenguaje"] = LANGUAGE
    body["p"] = key_parameter(private_key)
    return body
