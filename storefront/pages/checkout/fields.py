"""The fields of the checkout: names, labels, and validation of the values that a browser sends."""

from collections.abc import Collection

from backend.checkout.form import COMPANY_NAME, PAYMENT_PROVIDER
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.customers.saved_payers import KEEP_PAYER
from backend.orders.gifts import GIFT_MESSAGE, GIFT_RECIPIENT, RECIPIENT_FIELDS
from backend.payment.providers.pse.payer import COMPANY, DOCUMENT_TYPES, PERSON, list_document_types
from storefront.components.forms import MAX_TEXT_LENGTH
from storefront.state.handlers import MAX_ID_LENGTH

LABELS = {
    "email": _("Correo electrónico"),
    "first_name": _("Nombre"),
    "last_name": _("Apellido"),
    "phone": _("Celular"),
    "dane_code": _("Municipio"),
    "address": _("Dirección"),
    "suburb": _("Barrio"),
    "reference": _("Indicaciones"),
    "recipient_first_name": _("Nombre de quien recibe"),
    "recipient_last_name": _("Apellido de quien recibe"),
    "recipient_phone": _("Celular de quien recibe"),
    GIFT_MESSAGE: _("Mensaje de regalo"),
    "shipping": _("Envío"),
    PAYMENT_PROVIDER: _("Forma de pago"),
    "person_type": _("Tipo de persona"),
    COMPANY_NAME: _("Razón social"),
    "doc_type": _("Tipo de documento"),
    "doc_number": _("Número de documento"),
    "bank": _("Banco"),
    "consent_data": _("Autorización de tus datos"),
    "consent_terms": _("Términos y condiciones"),
}
"""Label of each field, in the order of the form."""

ADDRESS_FIELDS = ["address", "suburb", "reference", "town", "dane_code"]
"""The fields that an entry of the address book fills in."""

NAME_FIELDS = ["first_name", "last_name", "phone"]
"""Fields that an entry of the address book also fills in if it contains a name."""

STEPS = {
    "contact": (
        "email",
        "first_name",
        "last_name",
        "phone",
        "dane_code",
        "address",
        "suburb",
        "reference",
        *RECIPIENT_FIELDS,
        GIFT_MESSAGE,
    ),
    "payment": (PAYMENT_PROVIDER, "person_type", COMPANY_NAME, "doc_type", "doc_number", "bank"),
}
"""Fields of each step. A step is complete if none of its fields has a problem.

The shipping step is missing: it is complete if the shipping has a price.
"""

SAVED_FIELDS = frozenset({*LABELS, "town", "shipping_option", GIFT_RECIPIENT, KEEP_PAYER} - {"shipping"})
"""Fields that are saved in the draft. `town` is the municipality as typed, until it is selected from the list."""

MAX_LENGTHS = {GIFT_MESSAGE: 1000}
"""Maximum number of characters of a field in the draft, if it differs from `MAX_TEXT_LENGTH`.

It is above the valid length, so that a text that is too long is saved and gets an error message.
"""

INITIAL_VALUES = {"person_type": PERSON, "doc_type": "CC"}
"""Initial values of a form: nearly all customers pay as a person, with a cédula."""

DOCUMENTS = {
    person: [{"value": kind.code, "label": kind.label} for kind in list_document_types(person)]
    for person in (PERSON, COMPANY)
}
NUMERIC_DOCUMENTS = [kind.code for kind in DOCUMENT_TYPES.values() if kind.shape.startswith(r"\d")]
"""Types of identity documents whose number has only digits. A phone then displays its number keys."""


def parse_fields(value: object, further: Collection[str] = ()) -> dict[str, str]:
    """Return the known fields of the values that a browser sent. Unknown fields are ignored.

    `further` has the names of the fields that the shop's payment providers add.

    Raises:
        InvalidData: the values are not texts by name, or a text is too long.
    """
    if not isinstance(value, dict):
        raise InvalidData("not a form")
    fields = {name: text for name, text in value.items() if name in SAVED_FIELDS or name in further}
    if not all(
        isinstance(text, str) and len(text) <= MAX_LENGTHS.get(name, MAX_TEXT_LENGTH)
        for name, text in fields.items()
    ):
        raise InvalidData("not the texts of a form")
    return fields


def parse_field_names(value: object, further: Collection[str] = ()) -> frozenset[str]:
    """Return the known field names in a list that a browser sent. All other items are ignored. See `parse_fields`."""
    if not isinstance(value, list):
        return frozenset()
    names = (name for name in value[:MAX_ID_LENGTH] if isinstance(name, str))
    return frozenset(name for name in names if name in LABELS or name in further)
