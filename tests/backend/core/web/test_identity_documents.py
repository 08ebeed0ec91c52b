import pytest
from pydantic_core import PydanticCustomError

from backend.core.web.identity_documents import (
    MAX_LABEL_LENGTH,
    normalize_document,
    parse_nit,
    remove_series,
    split_document,
)

NITS = {
    "800197268": "4",
    "890903938": "8",
    "890900608": "9",
    "890100577": "6",
    "890904996": "1",
    "899999068": "1",
    "860034313": "7",
    "800149923": "6",
}
"""NITs of well-known institutions with their published check digits: independent of the library that computes them."""
NIT_FORMS = (
    "{number}",
    "{number}-{digit}",
    "{number}{digit}",
    "{dotted}-{digit}",
    "{dotted} – {digit}",
    "{number}—{digit}",
    "{number}\u2011{digit}",
    "NIT {dotted}-{digit}",
    "NIT{number}-{digit}",
    "N.I.T. {number}{digit}",
    "nit: {number}",
    "NIT No. {dotted}-{digit}",
    "N.I.T. Nº {number}-{digit}",
    "Nit. {dotted} DV {digit}",
    "{number} D.V. {digit}",
)


@pytest.mark.parametrize("form", NIT_FORMS)
@pytest.mark.parametrize(("number", "digit"), NITS.items())
def test_nit_is_understood_in_every_written_form(number: str, digit: str, form: str) -> None:
    dotted = f"{number[:3]}.{number[3:6]}.{number[6:]}"
    assert parse_nit(form.format(number=number, digit=digit, dotted=dotted)) == number


@pytest.mark.parametrize("form", [one for one in NIT_FORMS if "{digit}" in one])
@pytest.mark.parametrize("number", ["890903938", "860034313"])
def test_every_other_check_digit_of_a_nit_is_refused(number: str, form: str) -> None:
    dotted = f"{number[:3]}.{number[3:6]}.{number[6:]}"
    for digit in set("0123456789") - {NITS[number]}:
        with pytest.raises(PydanticCustomError, match="dígito de verificación"):
            parse_nit(form.format(number=number, digit=digit, dotted=dotted))


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("1020304050", "1020304050"),
        ("79.123.456", "79123456"),
        ("7777777777", "7777777777"),
        ("10203040501", "10203040501"),
    ],
)
def test_nit_of_a_person_without_check_digit_is_not_shortened(typed: str, number: str) -> None:
    assert parse_nit(typed) == number


@pytest.mark.parametrize("typed", ["900.123.456-8", "900123456 - 8", "900123456", "900 123 456"])
def test_nit_is_returned_without_its_check_digit(typed: str) -> None:
    assert parse_nit(typed) == "900123456"


@pytest.mark.parametrize("typed", ["900.123.456-7", "900123465-8"])
def test_nit_with_a_wrong_check_digit_is_refused(typed: str) -> None:
    with pytest.raises(PydanticCustomError, match="dígito de verificación"):
        parse_nit(typed)


def test_identity_document_number_is_normalized() -> None:
    assert normalize_document(" ab.12-3,45") == "AB12345"
    assert normalize_document("1'020.304.050") == "1020304050"


CC, CE, TI, PPT, NIT, PPN, ANY = ("CC",), ("CE",), ("TI",), ("PPT",), ("NIT",), ("PPN",), ()


@pytest.mark.parametrize(
    ("typed", "types", "number"),
    [
        ("1020304050", ANY, "1020304050"),
        ("CC 1020304050", CC, "1020304050"),
        ("cc1020304050", CC, "1020304050"),
        ("C.C. Nº 1020304050", CC, "1020304050"),
        ("C. C. N° 1.020.304.050", CC, "1.020.304.050"),
        ("c.c 1.020.304.050", CC, "1.020.304.050"),
        ("CC No. 1020304050", CC, "1020304050"),
        ("CC № 1020304050", CC, "1020304050"),
        ("CC#1020304050", CC, "1020304050"),
        ("CC-1020304050", CC, "1020304050"),
        ("Cédula: 1020304050", ("CC", "CE"), "1020304050"),
        ("CÉDULA DE CIUDADANÍA NÚMERO 1020304050", CC, "1020304050"),
        ("Número de cédula: 1020304050", ("CC", "CE"), "1020304050"),
        ("C.C. 1.020.304.050 de Bogotá D.C.", CC, "1.020.304.050"),
        ("1020304050 expedida en Cali", ANY, "1020304050"),
        ("No. 1020304050", ANY, "1020304050"),
        ("# 1020304050", ANY, "1020304050"),
        ("Documento 1020304050", ANY, "1020304050"),
        ("NUIP 1020304050", ("CC", "TI"), "1020304050"),
        ("T.I. 99012345678", TI, "99012345678"),
        ("Tarjeta de identidad 99012345678", TI, "99012345678"),
        ("C.E. No 412345", CE, "412345"),
        ("E412345", ANY, "E412345"),
        ("PPT No. AB1234567", PPT, "AB1234567"),
        ("NIT. No. 900.123.456-8", NIT, "900.123.456-8"),
        ("RUT 900123456-8", NIT, "900123456-8"),
        ("X1020304050", ANY, "X1020304050"),
        ("ninguno", ANY, "ninguno"),
        ("", ANY, ""),
    ],
)
def test_document_is_split_into_its_type_and_number(typed: str, types: tuple[str, ...], number: str) -> None:
    document = split_document(typed)
    assert (document.types, document.number) == (types, number)


@pytest.mark.parametrize(
    ("typed", "types", "number"),
    [
        ("PE093823", ANY, "PE093823"),
        ("AR 123456", ANY, "AR 123456"),
        ("N 1234567", ANY, "N 1234567"),
        ("CC12345678", ANY, "CC12345678"),
        ("Pasaporte No. AB123456", PPN, "AB123456"),
        ("P.P.N. AB123456", PPN, "AB123456"),
        ("Passport: 123456", PPN, "123456"),
        ("Nº AB123456", ANY, "AB123456"),
        ("CC 1020304050", CC, "1020304050"),
    ],
)
def test_letters_of_a_passport_number_are_not_read_as_a_document_type(
    typed: str, types: tuple[str, ...], number: str
) -> None:
    document = split_document(typed, is_numeric=False)
    assert (document.types, document.number) == (types, number)


def test_long_text_before_a_number_is_not_read_as_a_document_type() -> None:
    text = f"{'documento ' * MAX_LABEL_LENGTH}1020304050"
    assert split_document(text).number != "1020304050"


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("E412345", "412345"),
        ("E-412345", "412345"),
        ("412345", "412345"),
        ("MIGRACION 412345", "MIGRACION 412345"),
    ],
)
def test_series_letters_before_a_document_number_are_removed(typed: str, number: str) -> None:
    assert remove_series(typed) == number
