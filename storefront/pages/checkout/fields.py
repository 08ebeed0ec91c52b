"""The fields of the checkout: their names, what a shopper calls them, and how what a browser sends is taken."""

from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.customers.saved_payers import KEEP_PAYER
from backend.orders.gifts import GIFT_MESSAGE
from backend.payment.providers.pse.payer import COMPANY, DOCUMENT_TYPES, PERSON, document_types
from storefront.components.forms import LONGEST
from storefront.state.handlers import MAX_ID

LABELS = {
    "email": _("Correo electrónico"),
    "first_name": _("Nombre"),
    "last_name": _("Apellido"),
    "phone": _("Celular"),
    "dane_code": _("Municipio"),
    "address": _("Dirección"),
    "suburb": _("Barrio"),
    "reference": _("Indicaciones"),
    GIFT_MESSAGE: _("Mensaje de regalo"),
    "shipping": _("Envío"),
    "person_type": _("Tipo de persona"),
    "doc_type": _("Tipo de documento"),
    "doc_number": _("Número de documento"),
    "bank": _("Banco"),
    "consent_data": _("Autorización de tus datos"),
    "consent_terms": _("Términos y condiciones"),
}
"""What a shopper calls each field, in the order of the form."""

WHERE = ["address", "suburb", "reference", "town", "dane_code"]
"""The fields that an entry of the address book fills in."""

WHO = ["first_name", "last_name", "phone"]
"""Those that it fills in, too, if it says who lives there."""

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
        GIFT_MESSAGE,
    ),
    "payment": ("person_type", "doc_type", "doc_number", "bank"),
}
"""Which fields a step waits for; the step of the shipping waits for its price."""

TYPED = frozenset({*LABELS, "town", "shipping_option", KEEP_PAYER} - {"shipping"})
"""What is kept of what is typed: `town` is the municipality as written, until it is picked from the list."""

LONGEST_OF = {GIFT_MESSAGE: 1000}
"""Characters that are kept of a field that takes fewer: what is too long is said beside it, and nothing is cut."""

EMPTY = {"person_type": PERSON, "doc_type": "CC"}
"""What a form begins with: nearly everyone pays as a person, with a cédula."""

PERSON_TYPES = [
    {
        "value": PERSON,
        "label": _("Persona natural"),
        "note": _("Con tu cédula u otro documento"),
        "icon": "person",
    },
    {"value": COMPANY, "label": _("Persona jurídica"), "note": _("Empresa, con su NIT"), "icon": "building"},
]
DOCUMENTS = {
    person: [{"value": kind.code, "label": kind.label} for kind in document_types(person)]
    for person in (PERSON, COMPANY)
}
WRITTEN_IN_DIGITS = [kind.code for kind in DOCUMENT_TYPES.values() if kind.shape.startswith(r"\d")]
"""The documents whose number has digits only, as their rule says: a telephone shows its keys for figures."""


def typed_fields(value: object) -> dict[str, str]:
    """The fields among what a browser sent.

    Raises:
        InvalidData: it is no mapping of texts, or a text is longer than the form takes.
    """
    if not isinstance(value, dict):
        raise InvalidData("not a form")
    fields = {name: text for name, text in value.items() if name in TYPED}
    if not all(
        isinstance(text, str) and len(text) <= LONGEST_OF.get(name, LONGEST) for name, text in fields.items()
    ):
        raise InvalidData("not the texts of a form")
    return fields


def field_names(value: object) -> frozenset[str]:
    """The names of fields among what a browser sent; anything else is left out."""
    if not isinstance(value, list):
        return frozenset()
    return frozenset(name for name in value[:MAX_ID] if isinstance(name, str) and name in LABELS)
