"""A label has all directions to the door (wire: carrier 2.3: address 50, crossStreet 35, reference 25 characters).

fault                                            | outcome
-------------------------------------------------|---------------------------------------------------------------
the address is longer than its field             | it continues in `reference`, or in `crossStreet`
`address_2` is longer than its field             | it continues in `crossStreet`
both are longer                                  | split over both fields with all words
`address_2` is one character («3»)               | sent as «Ref. 3»
the whole is longer than the three fields        | refused on input: cart, order, warehouse, settings
an older order has such an address               | no label, and the reason with the parcel; nothing is cut
"""

import dataclasses
import re
from collections import Counter
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.errors import InvalidData
from backend.core.web.contact import to_one_line
from backend.fulfillment.labels import describe_label_failure
from backend.shipping.addresses import build_recipient, require_label_address
from backend.shipping.providers.carrier.label_address import (
    MAX_ADDRESS,
    MAX_CROSS_STREET,
    MAX_REFERENCE,
    LabelAddress,
    abbreviate,
    fit_label_address,
)
from backend.shipping.providers.carrier.requests import TOO_LONG, to_shipment
from tests.backend.shipping.samples import SHOPPER, WAREHOUSE, shipment_request

LONG = "Carrera 43A # 1-50 Conjunto Residencial Altos de San Lorenzo de la Montaña Torre 5 Apartamento 301"
HEAD = "Cra 43A # 1-50 Conj Resid Altos de San Lorenzo de"
TAIL = "la Montaña To 5 Apto 301"
SHORT = "Calle 5 # 6-7"
ADDRESS = {
    "first_name": "Luz",
    "last_name": "Peña",
    "phone": "3001234567",
    "city": "Medellín",
    "province": "Antioquia",
}


@pytest.mark.parametrize(
    ("address", "reference", "cross_street", "fields"),
    [
        (SHORT, "Apto 301", "", LabelAddress(SHORT, "", "Apto 301")),
        (SHORT, "Apto 301", "Carrera 8", LabelAddress(SHORT, "Carrera 8", "Apto 301")),
        (LONG, "", "", LabelAddress(HEAD, "", TAIL)),
        (LONG, "", "Carrera 43", LabelAddress(HEAD, "Carrera 43", TAIL)),
        (LONG, "Portería azul", "", LabelAddress(HEAD, TAIL, "Portería azul")),
        (LONG, "Timbre azul", "Cra 43", LabelAddress(HEAD, "Timbre azul, Cra 43", TAIL)),
        (
            SHORT,
            "Frente al parque, portería azul",
            "",
            LabelAddress(SHORT, "portería azul", "Frente al parque"),
        ),
        (SHORT, "3", "", LabelAddress(SHORT, "", "Ref. 3")),
        ("x" * 110, "", "", LabelAddress("x" * 50, "x" * 35, "x" * 25)),
        ("x" * 111, "", "", None),
        ("x" * 50, "x" * 60, "", LabelAddress("x" * 50, "x" * 35, "x" * 25)),
        ("x" * 50, "x" * 61, "", None),
        ("x" * 50, "x" * 25, "x" * 36, None),
    ],
)
def test_address_fields_of_a_label_contain_every_word(
    address: str, reference: str, cross_street: str, fields: LabelAddress | None
) -> None:
    assert fit_label_address(address, reference, cross_street) == fields


texts = st.text(st.characters(categories=("L", "N", "Zs", "P")), max_size=120)


@given(texts, texts, texts)
def test_address_fields_of_a_label_lose_no_letter_and_are_not_too_long(
    address: str, reference: str, cross_street: str
) -> None:
    fitted = fit_label_address(address, reference, cross_street)
    if fitted is None:
        assert len(f"{address} {reference} {cross_street}") > 40
        return
    assert len(fitted.address) <= MAX_ADDRESS
    assert len(fitted.cross_street) <= MAX_CROSS_STREET
    assert len(fitted.reference) <= MAX_REFERENCE
    kept = Counter(re.findall(r"\w", f"{fitted.address}{fitted.cross_street}{fitted.reference}"))
    given_letters = "".join(
        abbreviate(text) if len(text) > most else text
        for text, most in (
            (address, MAX_ADDRESS),
            (reference, MAX_REFERENCE),
            (cross_street, MAX_CROSS_STREET),
        )
    )
    assert not Counter(re.findall(r"\w", to_one_line(given_letters))) - kept


def label(address_1: str, address_2: str = "") -> dict[str, Any]:
    """Return the destination of a label for an order with this address."""
    address = {**ADDRESS, "address_1": address_1, "address_2": address_2}
    request = shipment_request(destination=build_recipient(address, SHOPPER.email))
    sent: dict[str, Any] = to_shipment(request, rate_id=1, pickup_date=date(2026, 11, 23)).body()[
        "destination"
    ]
    return sent


def test_label_contains_the_end_of_a_long_address_and_the_second_line() -> None:
    sent = label(LONG, "Portería azul")
    assert (sent["address"], sent["crossStreet"], sent["reference"]) == (HEAD, TAIL, "Portería azul")
    assert label(LONG)["reference"] == TAIL
    assert label(SHORT, "3")["reference"] == "Ref. 3"
    assert label(SHORT)["reference"] == "Sin referencia"


def test_address_too_long_for_the_label_is_refused_with_a_reason() -> None:
    with pytest.raises(InvalidData) as refused:
        label("x" * 90, "y" * 60)
    assert refused.value.fields == {"destination.address": TOO_LONG}
    assert describe_label_failure(refused.value) == (
        "La dirección no cabe en la guía. Acórtala en el pedido, sin quitarle la puerta."
    )
    far = dataclasses.replace(WAREHOUSE, address="x" * 120)
    with pytest.raises(InvalidData) as refused:
        to_shipment(shipment_request(origin=far), rate_id=1, pickup_date=date(2026, 11, 23))
    assert refused.value.fields == {"origin.address": TOO_LONG}
    assert "Ajustes" in describe_label_failure(refused.value)


@pytest.mark.parametrize(("lines", "fits"), [((90, 15), True), ((90, 60), False), ((150, 0), False)])
def test_address_too_long_for_a_label_is_reported_by_field(lines: tuple[int, int], fits: bool) -> None:
    address = {"address_1": "x" * lines[0], "address_2": "y" * lines[1]}
    if fits:
        require_label_address(address)
        return
    with pytest.raises(InvalidData) as refused:
        require_label_address(address)
    assert refused.value.fields == {"shipping_address.address_1": f"{TOO_LONG}, with address_2"}
