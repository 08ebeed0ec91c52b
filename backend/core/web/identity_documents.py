"""Parsing of identity documents as people write them: `C.C. Nº 1.020.304.050 de Bogotá`, `NIT 900.123.456-8`.

Call `split_document` to get the document type, then `normalize_document` or `parse_nit` to get the number.
"""

import re
from dataclasses import dataclass

from stdnum.co import nit

from backend.core.collation import fold
from backend.core.texts import _
from backend.core.web.contact import field_error

ANY_TYPE: tuple[str, ...] = ()
MAX_LABEL_LENGTH = 60
"""Maximum number of characters before the document's number, such as the name of its type."""

_NAMES = {
    "cc": ("CC",),
    "cedula": ("CC", "CE"),
    "ceduladeciudadania": ("CC",),
    "cedulaciudadania": ("CC",),
    "ce": ("CE",),
    "ceduladeextranjeria": ("CE",),
    "cedulaextranjeria": ("CE",),
    "ceduladeextranjero": ("CE",),
    "ti": ("TI",),
    "tarjeta": ("TI",),
    "tarjetadeidentidad": ("TI",),
    "tarjetaidentidad": ("TI",),
    "nuip": ("CC", "TI"),
    "ppt": ("PPT",),
    "permisoporprotecciontemporal": ("PPT",),
    "permisodeprotecciontemporal": ("PPT",),
    "pep": ("PEP",),
    "permisoespecialdepermanencia": ("PEP",),
    "permiso": ("PPT", "PEP"),
    "nit": ("NIT",),
    "rut": ("NIT",),
    "ppn": ("PPN",),
    "pasaporte": ("PPN",),
    "passport": ("PPN",),
    "dni": ("DNI",),
    "documentonacionaldeidentidad": ("DNI",),
    "ssn": ("SSN",),
    "lic": ("LIC",),
    "licencia": ("LIC",),
    "licenciadeconduccion": ("LIC",),
    "rfc": ("RFC",),
    "documento": ANY_TYPE,
    "doc": ANY_TYPE,
    "documentodeidentidad": ANY_TYPE,
    "docdeidentidad": ANY_TYPE,
    "identificacion": ANY_TYPE,
    "id": ANY_TYPE,
}
"""Codes of the document types that a written name can mean.

The names have only letters, in lower case and without accents.
"""
_NUMBER_WORD = re.compile(r"(?:numero|num|nro|no|n)(?:de)?$")
"""The word `number`, before or after the name of the type."""
_NUMBER_SIGNS = re.compile("[º°.:#№]")
_NUMBER_START = re.compile(r"(?<=[^\W\d_])(?=[0-9])|(?<=[\W_])(?=[^\W_])")
"""Positions at which the number may begin: at a digit after a letter, or after a separator."""
_PLACE_OF_ISSUE = re.compile(
    r"(?<=[0-9])[\s,.]+(?:exp(?:edid[ao])?\b\.?\s*)?(?:de|en)\s+[^\d]+$", re.IGNORECASE
)
_SERIES = re.compile(r"^(?:[^\W\d_][\W_]*){1,5}(?=[0-9])")
_DASHES = r"\-‐‑‒–—―−﹘﹣－"
"""Characters that are typed as a hyphen, for a regular expression."""
_SEPARATORS = re.compile(rf"[\s.,'’‘´`{_DASHES}]")
_WITH_CHECK_DIGIT = re.compile(rf"(.*?)\s*(?:[{_DASHES}]|\bd\.?v\b\W*)\s*(\d)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    """The type and the number of an identity document, as a person typed them.

    Attributes:
        types: codes of the document types that the label before the number can mean; empty if it can mean any type.
        number: the number without this label and without the place of issue.
    """

    types: tuple[str, ...]
    number: str


def split_document(text: str, *, is_numeric: bool = True) -> WrittenDocument:
    """Split a typed identity document into its type and its number.

    Args:
        text: one line of text, as typed.
        is_numeric: True if the number can have only digits. If False, letters directly before a digit belong to the
            number, as in `PE093823`. This includes an `N`, unless a sign such as `º` follows it.
    """
    number = _PLACE_OF_ISSUE.sub("", text)
    digit = re.search(r"\d", number)
    max_start = min(digit.start() if digit else len(number), MAX_LABEL_LENGTH)
    written = WrittenDocument(ANY_TYPE, number)
    for found in _NUMBER_START.finditer(number):
        start = found.start()
        if start > max_start:
            break
        types = _parse_label(number[:start], is_numeric=is_numeric)
        if types is not None and (is_numeric or not number[start - 1].isalpha()):
            written = WrittenDocument(types, number[start:])
    return written


def _parse_label(label: str, *, is_numeric: bool) -> tuple[str, ...] | None:
    """Return the document types that this text before a number can mean: empty for any; None if it is no label."""
    letters = re.sub("[^a-z]", "", fold(label))
    if letters in _NAMES:
        return _NAMES[letters]
    name = _NUMBER_WORD.sub("", letters)
    if name:
        return _NAMES.get(name) if name != letters else _find_after_number_word(letters)
    return ANY_TYPE if is_numeric or _NUMBER_SIGNS.search(label) else None


def _find_after_number_word(letters: str) -> tuple[str, ...] | None:
    """Return the document types of a label such as `número de cédula`; None if the label has another form."""
    return next(
        (
            types
            for name, types in _NAMES.items()
            if letters.endswith(name) and _NUMBER_WORD.fullmatch(letters.removesuffix(name))
        ),
        None,
    )


def remove_series(number: str) -> str:
    """Return the number without the letters (at most five) before its digits, as the `E` in `E-412345`."""
    return _SERIES.sub("", number)


def normalize_document(text: str) -> str:
    """Return the number of an identity document in upper case, without the signs that separate groups of digits."""
    return _SEPARATORS.sub("", text).upper()


def parse_nit(text: str) -> str:
    """Return a NIT without its check digit.

    The word NIT may precede the number, and the check digit may follow after a hyphen or dash. Without a hyphen or
    dash, the final digit is the check digit if the number has ten digits and begins with 8 or 9, like the NIT of a
    company, or if it has eleven digits and the final one is the correct check digit of the others.

    Raises:
        PydanticCustomError: the check digit is wrong.
    """
    text = split_document(text).number
    written = _WITH_CHECK_DIGIT.fullmatch(text)
    number = normalize_document(written[1] if written else text)
    check_digit = written[2] if written else ""
    is_whole = re.fullmatch(r"[89]\d{9}", number, re.ASCII) or (
        re.fullmatch(r"\d{11}", number, re.ASCII) and nit.is_valid(number)
    )
    if written is None and is_whole:
        number, check_digit = number[:-1], number[-1]
    if check_digit and re.fullmatch(r"\d+", number, re.ASCII) and nit.calc_check_digit(number) != check_digit:
        raise field_error(_("Revisa el NIT: su dígito de verificación no corresponde."))
    return number
