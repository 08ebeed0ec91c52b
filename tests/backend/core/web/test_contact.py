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
    normalize_document,
    parse_nit,
    parse_phone,
    read_form,
    require_email,
    require_phone,
    tidy_name,
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


def test_form_values_are_normalized() -> None:
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


def test_phone_numbers_with_any_first_digit_can_be_allowed() -> None:
    assert parse_phone("1 234 567890") == "1234567890"
    assert require_phone("1234567890", first="0123456789") == "1234567890"


@pytest.mark.parametrize("typed", ["900.123.456-8", "900123456 - 8", "900123456", "900 123 456"])
def test_nit_is_returned_without_its_check_digit(typed: str) -> None:
    assert parse_nit(typed) == "900123456"


@pytest.mark.parametrize("typed", ["900.123.456-7", "900123465-8"])
def test_nit_with_a_wrong_check_digit_is_refused(typed: str) -> None:
    with pytest.raises(PydanticCustomError, match="dígito de verificación"):
        parse_nit(typed)


def test_document_number_is_normalized() -> None:
    assert normalize_document(" ab.12-3,45") == "AB12345"


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
