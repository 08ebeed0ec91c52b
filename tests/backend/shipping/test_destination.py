"""Every municipality is found however a program writes it, and a code that contradicts its address is refused."""

from collections.abc import Callable

import pytest

from backend.errors import InvalidData
from backend.shipping.contacts import missing_for_a_label
from backend.shipping.destination import municipality_code, municipality_of, place_of
from backend.shipping.municipalities import (
    OTHER_NAMES,
    Municipality,
    department_codes,
    departments,
    fold,
    municipalities_of,
)

EVERYWHERE = [place for department in departments() for place in municipalities_of(department.code)]


@pytest.mark.parametrize(
    "written",
    [
        lambda place: {"metadata": {"dane_code": place.code}},
        lambda place: {"metadata": {"dane_code": place.code[:5]}},
        lambda place: {"metadata": {"dane_code": int(place.code)}},
        lambda place: {"metadata": {"dane_code": int(place.code[:5])}},
        lambda place: {"city": place.name, "province": place.department},
        lambda place: {"city": fold(place.name), "province": fold(place.department)},
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
def test_every_municipality_is_found(written: Callable[[Municipality], dict[str, object]]) -> None:
    assert [place for place in EVERYWHERE if municipality_of(written(place)) != place] == []


def test_no_code_goes_with_the_city_of_another() -> None:
    for place, other in zip(EVERYWHERE, EVERYWHERE[1:] + EVERYWHERE[:1], strict=True):
        address = {"city": place.name, "province": place.department, "metadata": {"dane_code": other.code}}
        with pytest.raises(InvalidData, match="names no municipality"):
            municipality_of(address)
        assert municipality_code(address) == ""


def test_every_department_has_a_code_of_its_own() -> None:
    first = {names.split("|")[0] for names in OTHER_NAMES.values()}
    assert len(first) == len(OTHER_NAMES) == len(departments())
    for department in departments():
        for name in (department.code, department.name, *OTHER_NAMES[department.code].split("|")):
            codes = department_codes(name)
            assert codes is not None
            assert codes - {"11"} == {department.code} - {"11"}
            assert department.code in codes


@pytest.mark.parametrize("text", ["00", "100", "9" * 5000, "zzz", "antioquia y caldas", "²"])
def test_what_is_no_department_names_none(text: str) -> None:
    assert not department_codes(text)


@pytest.mark.parametrize(
    "address", [None, {}, {"metadata": None}, {"metadata": "x"}, {"city": " ", "province": "X"}]
)
def test_an_address_that_says_nothing_is_no_destination(address: dict[str, object] | None) -> None:
    assert municipality_of(address) is None


def test_the_same_place_is_the_same_however_it_is_written() -> None:
    written = {"address_1": " Calle 1  # 2-3", "city": "LETICIA (AMAZONAS)"}
    assert place_of(written) == place_of({"address_1": "Calle 1 # 2-3", "metadata": {"dane_code": "91001"}})
    assert place_of({"city": "Macondo"}) != place_of({"city": "Comala"}) != place_of({})


@pytest.mark.parametrize(
    ("phone", "is_usable"),
    [("300 123 4567", True), ("+57 (601) 555-0123", True), ("555 0123", False), ("", False), (None, False)],
)
def test_a_label_needs_a_telephone_number_of_ten_digits(phone: str | None, is_usable: bool) -> None:
    address = {
        "first_name": "Ana",
        "last_name": "Gómez",
        "address_1": "Calle 1",
        "city": "Cali",
        "phone": phone,
    }
    assert missing_for_a_label(address) == ([] if is_usable else ["phone (10 digits)"])
