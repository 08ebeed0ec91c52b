import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

from backend.core.errors import InvalidData
from backend.core.web.contact import (
    AccountEmail,
    Email,
    FirstName,
    LastName,
    OptionalPhone,
    Phone,
    clean_name,
    is_company_name,
    is_email,
    is_person_name,
    parse_phone,
    read_form,
    require_email,
    require_phone,
    tidy_name,
    tidy_person_name,
)


class Person(BaseModel):
    model_config = ConfigDict(validate_default=True)

    email: Email = ""
    login: AccountEmail = ""
    first_name: FirstName = ""
    last_name: LastName = ""
    phone: Phone = ""
    other_phone: OptionalPhone = ""


ANA = {"email": "Ana@Correo.co", "login": " Ana@Correo.CO ", "first_name": "Ana", "last_name": "O'Neill-Ruíz",
       "phone": "+57 300 123 4567"}  # fmt: skip


def problems(**changes: Any) -> dict[str, str]:
    with pytest.raises(InvalidData) as refused:
        read_form(Person, {**ANA, **changes})
    return refused.value.fields


def problems_of_name(name: str) -> dict[str, str]:
    try:
        read_form(Person, {**ANA, "first_name": name})
    except InvalidData as error:
        return error.fields
    return {}


def test_contact_form_values_are_normalized() -> None:
    person = read_form(Person, {**ANA, "first_name": "  María \n José ", "unknown": "x"})
    assert person.model_dump() == {
        "email": "Ana@Correo.co",
        "login": "ana@correo.co",
        "first_name": "María José",
        "last_name": "O'Neill-Ruíz",
        "phone": "3001234567",
        "other_phone": "",
    }


def test_error_lists_all_missing_form_fields() -> None:
    with pytest.raises(InvalidData) as refused:
        read_form(Person, {"first_name": None, "phone": 3001234567})
    assert refused.value.message == "Revisa los datos marcados."
    assert refused.value.fields == {
        "email": "Escribe tu correo electrónico.",
        "login": "Escribe tu correo electrónico.",
        "first_name": "Escribe tu nombre.",
        "last_name": "Escribe tu apellido.",
        "phone": "Escribe tu celular.",
    }


@pytest.mark.parametrize(
    ("field", "typed", "message"),
    [
        ("email", "ana@correo", "Revisa el correo: debe verse como nombre@dominio.com."),
        ("login", f"{'a' * 50}@correo.com", "Usa un correo de máximo 60 caracteres."),
        ("first_name", "A{b}", "Usa solo letras."),
        ("last_name", "visita evil.example", "Usa solo letras."),
        ("last_name", "x" * 51, "Usa máximo 50 caracteres."),
        ("phone", "12345", "El celular debe tener 10 dígitos, como 300 123 4567."),
        ("other_phone", "2001234567", "El celular debe tener 10 dígitos, como 300 123 4567."),
    ],
)
def test_invalid_form_field_has_its_message(field: str, typed: str, message: str) -> None:
    assert problems(**{field: typed}) == {field: message}


@pytest.mark.parametrize(
    "address",
    [
        "ana@correo.co",
        "a+b@c.example",
        "ana@tienda.test",
        "ana@taller.local",
        "o'neill_x@a-b.com.co",
        "josé@correo.co",
    ],
)
def test_valid_email_address_is_accepted(address: str) -> None:
    assert is_email(address)
    assert require_email(address) == address


@pytest.mark.parametrize(
    "address",
    ["", "ana", "ana@", "@correo.co", "ana@correo", "ana @correo.co", "ana@correo.co.", "ana@-correo.co", "a..b@c.co",
     ".a@c.co", "ana@correo.co1", "ana@ñandú.co", '"a b"@c.co', "ana@[127.0.0.1]", "Ana <ana@correo.co>",
     "ana@localhost", "ana@x.invalid", f"{'a' * 65}@correo.co"],
)  # fmt: skip
def test_invalid_email_address_is_refused(address: str) -> None:
    assert not is_email(address)
    with pytest.raises(PydanticCustomError):
        require_email(address, max_length=100)


@given(
    digits=st.text("0123456789", min_size=9, max_size=9),
    first=st.sampled_from("36"),
    prefix=st.sampled_from(["", "57", "+57", "57 ", "+57-", "(57) "]),
    separator=st.sampled_from(["", " ", "-", ".", ")"]),
)
def test_phone_number_is_reduced_to_ten_digits(digits: str, first: str, prefix: str, separator: str) -> None:
    number = first + digits
    assert require_phone(f"{prefix}{number[:3]}{separator}{number[3:]}") == number


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "300123456",
        "30012345678",
        "+1 300 123 4567",
        "58 3001234567",
        "300-FLOWERS",
        "3001234567 ext 4",
        "tel",
        "+",
    ],
)
def test_text_that_is_no_colombian_phone_number_is_parsed_as_empty(typed: str) -> None:
    assert parse_phone(typed) == ""


def test_phone_number_may_begin_with_any_digit_if_the_caller_allows_it() -> None:
    assert parse_phone("1 234 567890") == "1234567890"
    assert require_phone("1234567890", first="0123456789") == "1234567890"


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("0057 300 765 4321", "3007654321"),
        ("00 57 300 765 4321", "3007654321"),
        ("(00) (57) 300 765 4321", "3007654321"),
        ("005763 01765432", "6301765432"),
        ("(0057) 312-000-1122", "3120001122"),
        ("057 3120001122", "3120001122"),
        ("03120001122", "3120001122"),
        ("0 312 000 1122", "3120001122"),
        ("00 312 000 1122", "3120001122"),
        ("+57 0312 000 1122", "3120001122"),
        ("57 (601) 234 5678", "6012345678"),
        ("5730012345", "5730012345"),
    ],
)
def test_dialling_prefixes_of_a_colombian_number_are_removed(typed: str, number: str) -> None:
    assert parse_phone(typed) == number


@pytest.mark.parametrize(
    "typed",
    [
        "+34 612 345 678",
        "0034 612 345 678",
        "+1 305 555 0147",
        "1 (305) 555-0147",
        "+58 412 1234567",
        "58 412 1234567",
        "+44 20 7946 0958",
    ],
)
def test_foreign_phone_number_is_refused_with_a_request_for_a_colombian_number(typed: str) -> None:
    assert parse_phone(typed) == ""
    with pytest.raises(PydanticCustomError) as refused:
        require_phone(typed)
    assert str(refused.value).startswith(
        "Ese número es de otro país. Escribe un celular de Colombia, de 10 dígitos"
    )


@pytest.mark.parametrize("typed", ["12345", "30012345678", "300 123 456", "0057 300 123"])
def test_short_or_long_phone_number_is_not_reported_as_foreign(typed: str) -> None:
    with pytest.raises(PydanticCustomError, match="debe tener 10 dígitos"):
        require_phone(typed)


@pytest.mark.parametrize(
    "name",
    [
        "María José",
        "O'Connor",
        "D’Angelo",
        "Núñez-Ñañez",
        "Å",
        "李",
        "محمد",
        "नरेंद्र",
        "de la Cruz",
        "J.R.R.",
        "Ma. José",
    ],
)
def test_person_name_in_any_script_is_accepted(name: str) -> None:
    assert is_person_name(tidy_name(name))
    assert clean_name(name) == name


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Ma.Fernanda", "Ma. Fernanda"),
        ("ma.fernanda", "ma. fernanda"),
        ("Dr.José", "Dr. José"),
        ("dra.inés", "dra. inés"),
        ("Ruiz (hija)", "Ruiz (hija)"),
        ("J.Pablo", "J. Pablo"),
        ("Sta.María de los Ángeles", "Sta. María de los Ángeles"),
        ("Ma. José", "Ma. José"),
        ("J.R.R.", "J.R.R."),
    ],
)
def test_missing_space_after_an_abbreviation_in_a_name_is_added(typed: str, stored: str) -> None:
    assert tidy_person_name(typed) == stored
    assert is_person_name(stored)
    assert problems_of_name(typed) == {}


@pytest.mark.parametrize(
    "typed", ["evil.example", "www.evil.com", "visita evil.co", "ñ.example", "(", "ana@x", "A(1)"]
)
def test_link_is_not_a_person_name(typed: str) -> None:
    assert problems_of_name(typed) == {"first_name": "Usa solo letras."}


@given(name=st.text("AaMmDdrRoOcC.éx ", max_size=20))
def test_person_name_that_looks_like_a_link_is_never_accepted(name: str) -> None:
    stored = tidy_person_name(name)
    assert not is_person_name(stored) or not re.search(r"\S\.[^\W\d_]{2}", stored)


@pytest.mark.parametrize(
    ("typed", "cleaned"),
    [
        ("", ""),
        ("---", ""),
        ("Ana 2", "Ana"),
        ("Ana\r\nBcc: x@evil.example", "Ana Bcc x evil. example"),
        ("https://evil.example/a?b", "https evil. example a b"),
        ("evil.example", "evil. example"),
        ("<b>Ana</b>", "b Ana b"),
        ("A\u200bn\u202ea", "A n a"),
        ("x" * 51, "x" * 50),
        (None, ""),
        (7, ""),
    ],
)
def test_invalid_characters_of_a_person_name_are_removed(typed: Any, cleaned: str) -> None:
    assert not (isinstance(typed, str) and is_person_name(typed))
    assert clean_name(typed) == cleaned


def test_separate_accents_of_a_name_are_combined_with_their_letters() -> None:
    assert tidy_name("Nun\u0303ez") == "Nu\u00f1ez"


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("3M & Hijos S.A.S.", True),
        ("C.I. Prodeco (Sede 2), Bogotá", True),
        ("evil.example", False),
        ("http://evil", False),
        ("ana@evil", False),
        ("<b>", False),
        ("&", False),
        ("x" * 51, False),
    ],
)
def test_company_name_may_have_digits_and_signs_but_no_link(name: str, is_one: bool) -> None:
    assert is_company_name(tidy_name(name)) is is_one
