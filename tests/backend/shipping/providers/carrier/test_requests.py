"""Requests to the carrier are adapted to its fields (wire: carrier 2.2 and 2.3)."""

import dataclasses
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.errors import InvalidData
from backend.sandbox.carrier import validation
from backend.shipping.packages import Package
from backend.shipping.providers.base import Contact, ShippingPlace
from backend.shipping.providers.carrier.label_address import fit_label_address
from backend.shipping.providers.carrier.requests import (
    fit_address,
    fit_phone,
    fit_reference,
    fit_text,
    to_quotation,
    to_shipment,
)
from tests.backend.shipping.samples import SHOPPER, WAREHOUSE, quote_request, shipment_request

# bodies


TOMORROW = date(2026, 11, 23)


def shipment(**changes: Any) -> dict[str, Any]:
    return to_shipment(shipment_request(**changes), rate_id=7, pickup_date=TOMORROW).body()


def destination(**changes: Any) -> dict[str, Any]:
    sent: dict[str, Any] = shipment(destination=dataclasses.replace(SHOPPER, **changes))["destination"]
    return sent


def test_quotation_body_contains_packages_value_and_places() -> None:
    assert to_quotation(quote_request()).body() == {
        "packages": [{"weight": 1.0, "height": 20, "width": 20, "length": 20}],
        "description": "Mercancía",
        "contentValue": 89_900,
        "origin": {"daneCode": "11001000", "address": "Calle 80 # 68-20"},
        "destination": {"daneCode": "05001000", "address": "Carrera 43A # 1-50, apto 301"},
    }


def test_shipment_body_contains_rate_sender_and_recipient() -> None:
    assert shipment() == {
        "idRate": 7,
        "myShipmentReference": "1042-1",
        "requestPickup": False,
        "pickupDate": "2026-11-23",
        "insurance": False,
        "description": "Mercancía",
        "contentValue": 89_900,
        "packages": [{"weight": 1.0, "height": 20, "width": 20, "length": 20}],
        "origin": {
            "company": "Juguetería Trompo",
            "firstName": "Bodega",
            "lastName": "Trompo",
            "email": "bodega@trompo.example",
            "phone": "6015550123",
            "address": "Calle 80 # 68-20",
            "suburb": "Engativá",
            "crossStreet": "Carrera 68",
            "reference": "Bodega 4",
            "daneCode": "11001000",
        },
        "destination": {
            "company": "Luz Marina Peña",
            "firstName": "Luz Marina",
            "lastName": "Peña",
            "email": "luz@correo.example",
            "phone": "3001234567",
            "address": "Carrera 43A # 1-50, apto 301",
            "suburb": "El Poblado",
            "crossStreet": "Carrera 43A # 1-50, apto 301",
            "reference": "Sin referencia",
            "daneCode": "05001000",
        },
    }


def test_quotation_without_a_street_is_possible() -> None:
    body = to_quotation(quote_request(destination=ShippingPlace("05001000", ""))).body()
    assert body["destination"]["address"] == "Sin dirección"


@pytest.mark.parametrize(
    ("changes", "field", "sent"),
    [
        ({"first_name": "María Fernanda de los Ángeles"}, "firstName", "María Fernanda"),
        ({"first_name": ""}, "firstName", "Sin nombre"),
        ({"last_name": "P"}, "lastName", "Sin apellido"),
        ({"company": "Jardín Infantil Los Ositos de la Sabana"}, "company", "Jardín Infantil Los Ositos"),
        ({"first_name": "", "last_name": ""}, "company", "Particular"),
        ({"suburb": ""}, "suburb", "Sin barrio"),
        ({"suburb": "Urbanización Altos de la Sabana Segunda Etapa"}, "suburb", "Urbanización Altos de la"),
        ({"cross_street": "Transversal 39"}, "crossStreet", "Transversal 39"),
        ({"reference": "Frente al parque, portería azul"}, "reference", "Frente al parque"),
        ({"address": "Cl 5", "suburb": "Centro"}, "address", "Cl 5, Centro"),
        ({"email": "a@b.co"}, "email", "bodega@trompo.example"),
        ({"email": "l" * 60 + "@correo.example"}, "email", "bodega@trompo.example"),
    ],
)
def test_text_of_an_address_is_adapted_to_the_limits_of_its_field(
    changes: dict[str, str], field: str, sent: str
) -> None:
    assert destination(**changes)[field] == sent


def test_too_long_shipment_reference_is_cut_at_its_beginning() -> None:
    assert (
        shipment(reference="ful_01K8ZQJ6W5T4S3R2Q1P0N9M8L7")["myShipmentReference"]
        == "l_01K8ZQJ6W5T4S3R2Q1P0N9M8L7"
    )


def test_declared_value_and_description_are_limited() -> None:
    sent = shipment(content_value=9_000_000, description="Tren de madera con veintidós vagones")
    assert sent["contentValue"] == 3_000_000
    assert sent["description"] == "Tren de madera con"
    assert shipment(content_value=-1, description="x")["description"] == "Mercancía"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"phone": "300123"}, "destination.phone"),
        ({"phone": ""}, "destination.phone"),
        ({"dane_code": "5001000"}, "destination.daneCode"),
        ({"dane_code": "Medellín"}, "destination.daneCode"),
        ({"email": "no es un correo"}, "destination.email"),
        ({"address": "", "suburb": ""}, "destination.address"),
    ],
)
def test_invalid_field_is_refused_by_name(changes: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidData) as refused:
        destination(**changes)
    assert list(refused.value.fields) == [field]
    assert field in refused.value.message


def test_error_about_an_invalid_field_does_not_contain_the_input() -> None:
    with pytest.raises(InvalidData) as refused:
        destination(phone="300 123 SECRETO")
    assert "SECRETO" not in refused.value.message + str(refused.value.fields)


def test_invalid_package_is_refused() -> None:
    with pytest.raises(InvalidData) as refused:
        to_quotation(quote_request(packages=(Package(0.2, 500, 20, 20),)))
    assert list(refused.value.fields) == ["packages.0.weight", "packages.0.length"]
    with pytest.raises(InvalidData):
        to_quotation(quote_request(packages=()))


text = st.text(max_size=80)
people = st.builds(
    Contact,
    dane_code=st.just("05001000"),
    address=st.text(st.characters(categories=("L", "N")), min_size=8, max_size=90),
    first_name=text,
    last_name=text,
    email=st.sampled_from(["luz@correo.example", "a@b.co", "x" * 70 + "@correo.example"]),
    phone=st.sampled_from(["3001234567", "+57 601 555 0123"]),
    company=text,
    suburb=text,
    cross_street=text,
    reference=text,
).filter(lambda person: fit_label_address(person.address, person.reference, person.cross_street) is not None)
"""People whose door a label can hold: see `test_label_address`."""


@given(people, text, st.integers())
def test_adapted_bodies_are_valid_for_the_carrier(person: Contact, description: str, value: int) -> None:
    request = shipment_request(destination=person, description=description, content_value=value)
    body = to_shipment(request, rate_id=7, pickup_date=TOMORROW).body()
    assert validation.SHIPMENT(body) == {}
    quoted = quote_request(destination=person.shipping_place, description=description, content_value=value)
    assert validation.QUOTATION(to_quotation(quoted).body()) == {}


def test_default_warehouse_address_is_sent_unchanged() -> None:
    body = shipment(destination=WAREHOUSE)
    assert body["destination"] == body["origin"]


# texts


@pytest.mark.parametrize(
    ("text", "most", "fitted"),
    [
        ("Peña", 14, "Peña"),
        ("María Fernanda de los Ángeles", 14, "María Fernanda"),
        ("  Luz \n Marina ", 14, "Luz Marina"),
        ("Supercalifragilístico", 14, "Supercalifragi"),
        ("A Supercalifragilístico", 14, "A Supercalifra"),
        ("Torre 5, apartamento 301, timbre", 25, "Torre 5, apartamento 301"),
        ("Luz\x00\x07Marina", 14, "Luz Marina"),
    ],
)
def test_long_text_is_cut_at_a_word(text: str, most: int, fitted: str) -> None:
    assert fit_text(text, most) == fitted


@pytest.mark.parametrize("text", ["", " ", "A", "\n"])
def test_too_short_text_is_replaced_by_the_fallback(text: str) -> None:
    assert fit_text(text, 14, fallback="Sin nombre") == "Sin nombre"


@pytest.mark.parametrize(
    ("address", "fitted"),
    [
        ("Carrera 43A # 1-50, apartamento 301", "Carrera 43A # 1-50, apartamento 301"),
        (
            "Carrera 43A # 1-50, Torre 2, apartamento 301, El Poblado",
            "Cra 43A # 1-50, To 2, Apto 301, El Poblado",
        ),
        (
            "Avenida Calle 80 # 68-20 Conjunto Residencial Los Cerezos Torre 5",
            "Av Cl 80 # 68-20 Conj Resid Los Cerezos To 5",
        ),
    ],
)
def test_address_is_abbreviated_only_if_too_long(address: str, fitted: str) -> None:
    assert fit_address(address, 50) == fitted


@pytest.mark.parametrize(
    ("typed", "digits"),
    [
        ("3001234567", "3001234567"),
        ("+57 300 123 4567", "3001234567"),
        ("573001234567", "3001234567"),
        ("(601) 555-0123", "6015550123"),
        ("5701234567", "5701234567"),
        ("300 123", "300123"),
        ("no tengo", ""),
    ],
)
def test_phone_is_reduced_to_ten_digits(typed: str, digits: str) -> None:
    assert fit_phone(typed) == digits


def test_too_long_reference_is_shortened_to_its_unique_end() -> None:
    assert fit_reference("ful_01K8ZQJ6W5T4S3R2Q1P0N9M8L7", 28) == "l_01K8ZQJ6W5T4S3R2Q1P0N9M8L7"
    assert fit_reference("1042-1", 28) == "1042-1"


@given(st.text(max_size=200), st.integers(2, 60))
def test_adapted_texts_are_never_too_long(text: str, most: int) -> None:
    for fitted in (fit_text(text, most), fit_address(text, most), fit_reference(text, most)):
        assert len(fitted) <= most
        assert "\n" not in fitted
        assert fitted == fitted.strip()
