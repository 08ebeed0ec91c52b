"""Every municipality is found in every notation, and a code that contradicts its address is refused."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from backend.core.config.settings import Settings
from backend.core.errors import InvalidData
from backend.shipping.addresses import (
    build_recipient,
    build_sender,
    build_warehouse_contact,
    find_municipality,
    find_municipality_code,
    find_origin,
    format_address_lines,
    get_place_key,
    list_missing_label_parts,
)
from backend.shipping.municipalities import (
    OTHER_NAMES,
    Municipality,
    find_department_codes,
)
from backend.shipping.place_names import fold_text
from backend.shipping.providers.base import Contact, ShippingPlace
from tests.backend.shipping.samples import DEPARTMENTS, EVERYWHERE, SHOPPER, WAREHOUSE


@pytest.mark.parametrize(
    "written",
    [
        lambda place: {"metadata": {"dane_code": place.code}},
        lambda place: {"metadata": {"dane_code": place.code[:5]}},
        lambda place: {"metadata": {"dane_code": int(place.code)}},
        lambda place: {"metadata": {"dane_code": int(place.code[:5])}},
        lambda place: {"city": place.name, "province": place.department},
        lambda place: {"city": fold_text(place.name), "province": fold_text(place.department)},
        lambda place: {"city": place.name.upper(), "province": place.department_code},
        lambda place: {
            "city": place.name,
            "province": f"CO-{OTHER_NAMES[place.department_code].split('|')[0]}",
        },
        lambda place: {"city": f"{place.name.upper()} ({place.department.upper()})"},
        lambda place: {
            "city": place.name,
            "province": place.department,
            "metadata": {"dane_code": place.code},
        },
    ],
)
def test_every_municipality_is_found_in_every_notation(
    written: Callable[[Municipality], dict[str, object]],
) -> None:
    assert [place for place in EVERYWHERE if find_municipality(written(place)) != place] == []


def test_code_that_contradicts_the_city_is_refused() -> None:
    for place, other in zip(EVERYWHERE, EVERYWHERE[1:] + EVERYWHERE[:1], strict=True):
        address = {"city": place.name, "province": place.department, "metadata": {"dane_code": other.code}}
        with pytest.raises(InvalidData, match="has no valid municipality"):
            find_municipality(address)
        assert find_municipality_code(address) == ""


def test_every_department_has_a_distinct_code() -> None:
    first = {names.split("|")[0] for names in OTHER_NAMES.values()}
    assert len(first) == len(OTHER_NAMES) == len(DEPARTMENTS)
    for code, official in DEPARTMENTS.items():
        for name in (code, official, *OTHER_NAMES[code].split("|")):
            codes = find_department_codes(name)
            assert codes is not None
            assert codes - {"11"} == {code} - {"11"}
            assert code in codes


@pytest.mark.parametrize("text", ["00", "100", "9" * 5000, "zzz", "antioquia y caldas", "²"])
def test_unknown_department_finds_no_department_codes(text: str) -> None:
    assert not find_department_codes(text)


@pytest.mark.parametrize(
    "address", [None, {}, {"metadata": None}, {"metadata": "x"}, {"city": " ", "province": "X"}]
)
def test_empty_address_has_no_municipality(address: dict[str, object] | None) -> None:
    assert find_municipality(address) is None


def test_different_notations_of_an_address_have_the_same_place_key() -> None:
    written = {"address_1": " Calle 1  # 2-3", "city": "LETICIA (AMAZONAS)"}
    assert get_place_key(written) == get_place_key(
        {"address_1": "Calle 1 # 2-3", "metadata": {"dane_code": "91001"}}
    )
    assert get_place_key({"city": "Macondo"}) != get_place_key({"city": "Comala"}) != get_place_key({})


@pytest.mark.parametrize(
    ("phone", "is_usable"),
    [("300 123 4567", True), ("+57 (601) 555-0123", True), ("555 0123", False), ("", False), (None, False)],
)
def test_label_needs_a_phone_number_of_ten_digits(phone: str | None, is_usable: bool) -> None:
    address = {
        "first_name": "Ana",
        "last_name": "Gómez",
        "address_1": "Calle 1",
        "city": "Cali",
        "phone": phone,
    }
    assert list_missing_label_parts(address) == ([] if is_usable else ["phone (10 digits)"])


# sender and recipient


def test_sender_is_the_warehouse_of_the_settings(settings: Settings) -> None:
    assert build_warehouse_contact(settings) == WAREHOUSE
    assert build_warehouse_contact(settings).shipping_place == ShippingPlace("11001000", "Calle 80 # 68-20")


def test_every_part_of_the_senders_address_can_be_set() -> None:
    parts = {
        "company": "Otra", "first_name": "Ana", "last_name": "Ruiz", "email": "ana@otra.example", "phone": "3001234567",
        "address": "Calle 1 # 2-3", "suburb": "Centro", "cross_street": "Carrera 2", "reference": "Local 1",
        "dane_code": "05001000",
    }  # fmt: skip
    settings = Settings(**{f"carrier_origin_{name}": value for name, value in parts.items()})  # type: ignore[arg-type]
    assert build_warehouse_contact(settings) == Contact(**parts)


def test_sender_of_a_location_at_the_shops_warehouse_comes_from_the_settings(settings: Settings) -> None:
    own = {"address_1": WAREHOUSE.address, "dane_code": WAREHOUSE.dane_code, "phone": "555"}
    assert build_sender(own, settings) == WAREHOUSE


@pytest.mark.parametrize("address", [{}, {"address_1": "Calle 5"}, {"city": "Cali"}, {"dane_code": "999"}])
def test_sender_at_an_incomplete_address_is_the_warehouse_of_the_settings(
    settings: Settings, address: dict[str, str]
) -> None:
    assert build_sender(address, settings) == WAREHOUSE


@pytest.mark.parametrize(
    "place", [{"dane_code": "76001000"}, {"dane_code": "76001", "city": "Bogotá"}, {"city": "Cali"}]
)
def test_sender_of_another_location_has_its_address(settings: Settings, place: dict[str, str]) -> None:
    address = {"address_1": " Calle 5  # 38-14", "address_2": "Local 2", "company": "Trompo Cali", **place}
    assert find_origin(address) == ShippingPlace("76001000", "Calle 5 # 38-14")
    expected = replace(
        WAREHOUSE, dane_code="76001000", address="Calle 5 # 38-14", company="Trompo Cali",
        suburb="", cross_street="", reference="Local 2",
    )  # fmt: skip
    assert build_sender(address, settings) == expected
    assert build_sender({**address, "phone": "602 555 0123"}, settings).phone == "602 555 0123"


def test_recipient_is_built_from_the_orders_address() -> None:
    address = {
        "first_name": "Luz Marina",
        "last_name": "Peña",
        "phone": "+57 300 123 4567",
        "address_1": " Carrera 43A # 1-50, apto 301 ",
        "address_2": "Portería azul",
        "city": "Medellín",
        "province": "Antioquia",
        "country_code": "co",
        "metadata": {"dane_code": "05001000", "suburb": "El Poblado"},
    }
    receiver = build_recipient(address, SHOPPER.email)
    assert receiver == Contact(
        dane_code=SHOPPER.dane_code,
        address=SHOPPER.address,
        first_name=SHOPPER.first_name,
        last_name=SHOPPER.last_name,
        email=SHOPPER.email,
        phone=SHOPPER.phone,
        suburb=SHOPPER.suburb,
        reference="Portería azul",
    )


@pytest.mark.parametrize(
    "address", [{}, {"metadata": None}, {"metadata": "x"}, {"first_name": None, "metadata": {"dane_code": 5}}]
)
def test_missing_parts_of_the_recipient_are_empty(address: dict[str, object]) -> None:
    assert build_recipient(address, "a@b.example") == Contact("", "", "", "", "a@b.example", "")


def test_address_lines_leave_out_empty_lines() -> None:
    whole = {
        "address_1": "Calle 10 # 43-12", "address_2": "Torre 2", "city": "Medellín", "province": "Antioquia",
        "metadata": {"suburb": "El Poblado"},
    }  # fmt: skip
    assert format_address_lines(whole) == ["Calle 10 # 43-12, Torre 2", "El Poblado", "Medellín, Antioquia"]
    assert format_address_lines({"address_1": "Calle 10", "address_2": None, "metadata": None}) == [
        "Calle 10"
    ]
    assert format_address_lines({}) == []
