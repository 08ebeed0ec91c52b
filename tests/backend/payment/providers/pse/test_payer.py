from typing import Any

import pytest

from backend.core.errors import InvalidData
from backend.core.web.contact import FOREIGN_PHONE
from backend.payment.providers.pse.payer import (
    COMPANY,
    DOCUMENT_TYPES,
    PERSON,
    Payer,
    list_document_types,
    parse_payer,
)
from tests.gateway_kit import MARIA

BANKS = {"1022", "1077"}
HIJOS = {
    **MARIA,
    "person_type": "1",
    "doc_type": "NIT",
    "doc_number": "900123456",
    "first_name": "3M & Hijos S.A.S.",
}


def parse(**changes: Any) -> Payer:
    return parse_payer({**MARIA, **changes}, banks=BANKS)


def find_problems(**changes: Any) -> dict[str, str]:
    with pytest.raises(InvalidData) as refused:
        parse(**changes)
    return refused.value.fields


def test_payer_may_be_a_person_or_a_company() -> None:
    assert parse().phone == "3001234567"
    company = parse(**HIJOS)
    assert (company.doc_number, company.first_name) == ("900123456", "3M & Hijos S.A.S.")


def test_payer_field_sent_as_a_number_is_read_as_text() -> None:
    payer = parse(bank=1022, doc_number=1020304050, phone=3001234567)
    assert (payer.bank, payer.doc_number, payer.phone) == ("1022", "1020304050", "3001234567")


def test_all_missing_payer_fields_are_reported_together() -> None:
    with pytest.raises(InvalidData) as refused:
        parse_payer({}, banks=BANKS)
    assert refused.value.fields == {
        "bank": "Elige tu banco.",
        "person_type": "Elige si pagas como persona o como empresa.",
        "doc_type": "Elige el tipo de documento.",
        "doc_number": "Escribe el número de documento.",
        "first_name": "Escribe tu nombre.",
        "last_name": "Escribe tu apellido.",
        "email": "Escribe tu correo electrónico.",
        "phone": "Escribe tu celular.",
        "address": "Escribe tu dirección.",
        "city": "Escribe tu ciudad.",
        "department": "Escribe tu departamento.",
        "ip": "No pudimos identificar tu conexión. Recarga la página e intenta de nuevo.",
    }


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"bank": "0"}, "bank", "Elige tu banco."),
        ({"bank": "9999"}, "bank", "Ese banco no está disponible. Elige otro de la lista."),
        ({"bank": ["1022"]}, "bank", "Elige tu banco."),
        ({"bank": True}, "bank", "Elige tu banco."),
        ({"bank": 0}, "bank", "Elige tu banco."),
        ({"person_type": "2"}, "person_type", "Elige si pagas como persona o como empresa."),
        ({"doc_type": "NIT"}, "doc_type", "El NIT es para empresas. Elige otro tipo de documento."),
        ({"person_type": "1"}, "doc_type", "Una empresa paga con su NIT."),
        ({"doc_type": "XX"}, "doc_type", "Elige el tipo de documento."),
        ({"doc_number": "12a45"}, "doc_number", "La cédula debe tener entre 5 y 15 dígitos."),
        ({"doc_number": "１２３４５６"}, "doc_number", "La cédula debe tener entre 5 y 15 dígitos."),
        ({"first_name": "R2D2"}, "first_name", "Usa solo letras."),
        ({"first_name": "x" * 51}, "first_name", "Usa máximo 50 caracteres."),
        ({"last_name": "ñ.example"}, "last_name", "Usa solo letras."),
        ({"email": "maria@correo"}, "email", "Revisa el correo: debe verse como nombre@dominio.com."),
        ({"email": "maria @correo.co"}, "email", "Revisa el correo: debe verse como nombre@dominio.com."),
        ({"email": f"{'a' * 60}@{'b' * 30}.co"}, "email", "Usa un correo de máximo 80 caracteres."),
        ({"phone": "12345"}, "phone", "El celular debe tener 10 dígitos, como 300 123 4567."),
        ({"phone": "+1 305 555 0147"}, "phone", FOREIGN_PHONE),
        (
            {"doc_number": "CE 412345"},
            "doc_number",
            "Escribiste Cédula de extranjería, pero elegiste Cédula de ciudadanía. Cambia el tipo de documento.",
        ),
        (
            {"doc_type": "CE", "doc_number": "E12B45"},
            "doc_number",
            "La cédula de extranjería debe tener entre 4 y 8 dígitos.",
        ),
        (
            {"doc_type": "PPT", "doc_number": "MIGRACION 1234567"},
            "doc_number",
            "El PPT debe tener entre 7 y 15 dígitos.",
        ),
        (
            {"doc_type": "PPN", "doc_number": "C.C. 1020304050"},
            "doc_number",
            "Escribiste Cédula de ciudadanía, pero elegiste Pasaporte. Cambia el tipo de documento.",
        ),
        (
            {"doc_number": "NIT 900.123.456-8"},
            "doc_number",
            "Escribiste un NIT. Para pagar como empresa, marca «Compra una empresa».",
        ),
        (
            {**HIJOS, "doc_number": "C.C. Nº 1020304050"},
            "doc_number",
            "Escribiste Cédula de ciudadanía, pero aquí va el NIT de la empresa.",
        ),
        ({"doc_number": "X1020304050"}, "doc_number", "La cédula debe tener entre 5 y 15 dígitos."),
        (
            {"ip": "testclient"},
            "ip",
            "No pudimos identificar tu conexión. Recarga la página e intenta de nuevo.",
        ),
    ],
)
def test_invalid_payer_field_has_its_message(changes: dict[str, Any], field: str, message: str) -> None:
    assert find_problems(**changes)[field] == message


@pytest.mark.parametrize(
    ("kind", "typed", "number"),
    [
        ("CC", "CC 1020304050", "1020304050"),
        ("CC", "C.C. 1.020.304.050", "1020304050"),
        ("CC", "c.c.1020304050", "1020304050"),
        ("CC", "Cédula No. 52.123.456", "52123456"),
        ("CC", "C.C. Nº 1'020.304.050 de Bogotá", "1020304050"),
        ("CC", "CC № 1020304050", "1020304050"),
        ("CE", "Cédula: E412345", "412345"),
        ("PPT", "PPT No. AB5123456", "5123456"),
        ("PEP", "PEP: 123456789", "123456789"),
        ("PPN", "Pasaporte No. AR123456", "AR123456"),
        ("DNI", "D.N.I. 12345678Z", "12345678Z"),
        ("LIC", "Licencia Nº 1020304050", "1020304050"),
        ("CC", "cedula de ciudadanía: 52123456", "52123456"),
        ("CC", "# 52123456", "52123456"),
        ("CE", "CE 412345", "412345"),
        ("CE", "E412345", "412345"),
        ("CE", "E-412345", "412345"),
        ("CE", "Cédula de extranjería 412345", "412345"),
        ("PPT", "PPT 5123456", "5123456"),
        ("PPT", "PT-5123456", "5123456"),
        ("TI", "T.I. 1020304050", "1020304050"),
        ("PPN", "AR 123456", "AR123456"),
        ("PPN", "pe093823", "PE093823"),
        ("PPN", "Pasaporte AR123456", "AR123456"),
        ("PPN", "Pasaporte 123456", "123456"),
    ],
)
def test_letters_around_a_document_number_are_removed(kind: str, typed: str, number: str) -> None:
    assert parse(doc_type=kind, doc_number=typed).doc_number == number


def test_nit_of_a_company_is_sent_without_its_check_digit() -> None:
    for typed in ("NIT 890.903.938-8", "8909039388", "890903938—8", "890.903.938"):
        assert parse(**{**HIJOS, "doc_number": typed}).doc_number == "890903938"
    with pytest.raises(InvalidData) as refused:
        parse(**{**HIJOS, "doc_number": "8909039387"})
    assert refused.value.fields == {"doc_number": "Revisa el NIT: su dígito de verificación no corresponde."}


@pytest.mark.parametrize(
    ("kind", "shortest", "longest"),
    [
        ("CC", 5, 15), ("CE", 4, 8), ("TI", 4, 20), ("PPN", 4, 12), ("PPT", 7, 15), ("PEP", 7, 15), ("NIT", 7, 10),
        ("DNI", 1, 20), ("SSN", 9, 9), ("LIC", 1, 20), ("RFC", 12, 13),
    ],
)  # fmt: skip
def test_document_number_has_the_allowed_length(kind: str, shortest: int, longest: int) -> None:
    person_type = COMPANY if kind == "NIT" else PERSON
    for length in (shortest, longest):
        assert (
            parse(person_type=person_type, doc_type=kind, doc_number="7" * length).doc_number == "7" * length
        )
    for length in {shortest - 1, longest + 1} - {0}:
        fields = find_problems(person_type=person_type, doc_type=kind, doc_number="7" * length)
        assert fields == {"doc_number": DOCUMENT_TYPES[kind].rule}


@pytest.mark.parametrize(
    ("typed", "number"),
    [("1.020.304.050", "1020304050"), (" 10 20 30 ", "102030"), ("900.123.456-7", None)],
)
def test_cedula_may_be_typed_with_dots(typed: str, number: str | None) -> None:
    assert parse(doc_number=typed).doc_number == (number or "9001234567")


@pytest.mark.parametrize("typed", ["900.123.456-7", "900123465-8", "90012345-8"])
def test_nit_with_a_wrong_check_digit_is_refused(typed: str) -> None:
    told = find_problems(**{**HIJOS, "doc_number": typed})
    assert told == {"doc_number": "Revisa el NIT: su dígito de verificación no corresponde."}


@pytest.mark.parametrize("typed", ["900.123.456-8", "900123456 - 8", "900123456", "900123456-8"])
def test_nit_is_returned_without_its_check_digit(typed: str) -> None:
    assert parse(**{**HIJOS, "doc_number": typed}).doc_number == "900123456"


def test_passport_number_is_converted_to_upper_case() -> None:
    assert parse(doc_type="ppn", doc_number="ab 12345").doc_number == "AB12345"


@pytest.mark.parametrize(
    "typed", ["3001234567", "+57 300 123 4567", "57 (300) 123-4567", "300.123.4567", "+573001234567"]
)
def test_phone_is_reduced_to_ten_digits(typed: str) -> None:
    assert parse(phone=typed).phone == "3001234567"


def test_characters_that_the_bank_network_rejects_are_removed() -> None:
    payer = parse(address='Calle 80 | # "68"\t-20\u2028', first_name="  María \n José ")
    assert payer.address == "Calle 80 # 68 -20"
    assert payer.first_name == "María José"


@pytest.mark.parametrize(
    ("given", "sent"),
    [("190.1.2.3", "190.1.2.3"), ("::ffff:190.1.2.3", "190.1.2.3"), ("2001:db8::1", "2001:db8::1")],
)
def test_ip_address_is_normalized(given: str, sent: str) -> None:
    assert parse(ip=given).ip == sent


def test_persons_have_all_document_types_except_the_nit_of_companies() -> None:
    assert [kind.code for kind in list_document_types(COMPANY)] == ["NIT"]
    assert [kind.code for kind in list_document_types(PERSON)][:4] == ["CC", "CE", "TI", "PPN"]
    assert {kind.code for kind in list_document_types(PERSON)} == set(DOCUMENT_TYPES) - {"NIT"}
