"""How a person is reached: e-mail addresses, telephones, names and identity documents, checked in one place.

The account's forms, the checkout's form, the payer of PSE and the bodies of the API use these rules. What is checked is
one line of text (`Line`); what is wrong with it is a `PydanticCustomError` whose message is for a shopper. A form is a
pydantic model of the types at the end of this module, read with `read_form`.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ValidationError
from pydantic_core import PydanticCustomError
from stdnum.co import nit

from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData
from backend.core.texts import _

MAX_EMAIL = 60
"""What the carrier takes."""
MAX_NAME = 50
"""Of a person or a company; one letter is a name too."""
COUNTRY, COUNTRY_CODE = "CO", 57


def invalid(message: str) -> PydanticCustomError:
    """An error to raise in a validator. `message` is a whole sentence for a shopper."""
    return PydanticCustomError("shopper", "{message}", {"message": message})


def is_web_address(text: str) -> bool:
    """Whether it is an address of http or https with a host: nothing else may become a link."""
    if not text.isprintable():  # `urlsplit` passes over line breaks and tabs
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def one_line(value: Any) -> str:
    """The text without control characters, doubled spaces and spaces at its ends. Anything but a text is empty."""
    text = value if isinstance(value, str) else ""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def paragraphs(value: Any) -> str:
    """The text with its lines, without control characters. Anything but a text is empty."""
    text = value if isinstance(value, str) else ""
    lines = ("".join(c for c in line if c.isprintable() or c == "\t").rstrip() for line in text.splitlines())
    return "\n".join(lines).strip()


def require_length(text: str, least: int, most: int, missing: str) -> str:
    """The text, if it has `least` to `most` characters.

    Raises:
        PydanticCustomError: it is too short or too long; `missing` is the message when it is empty.
    """
    if not text:
        raise invalid(missing)
    if len(text) < least:
        raise invalid(_("Escribe al menos {count} caracteres.").format(count=least))
    if len(text) > most:
        raise invalid(_("Usa máximo {count} caracteres.").format(count=most))
    return text


def is_email(text: str) -> bool:
    """Whether the text is an e-mail address. The DNS is not asked. The domain is in ASCII."""
    validator = _email_validator()
    try:
        validator.validate_email(text, check_deliverability=False, strict=True)
    except validator.EmailNotValidError:
        return False
    return text.rpartition("@")[2].isascii()


@cache
def _email_validator() -> ModuleType:
    """The library, which the first address loads. Shops are tried out with addresses of `local` and `test`."""
    import email_validator

    email_validator.SPECIAL_USE_DOMAIN_NAMES[:] = [
        name for name in email_validator.SPECIAL_USE_DOMAIN_NAMES if name not in {"local", "test"}
    ]
    return email_validator


def tidy_email(value: Any) -> str:
    """An e-mail address as accounts are found by: without spaces at its ends, in small letters."""
    return value.strip().casefold() if isinstance(value, str) else ""


def require_email(text: str, most: int = MAX_EMAIL) -> str:
    """The address as it was typed.

    Raises:
        PydanticCustomError: it is none, or has more than `most` characters.
    """
    if not text:
        raise invalid(_("Escribe tu correo electrónico."))
    if len(text) > most:
        raise invalid(_("Usa un correo de máximo {count} caracteres.").format(count=most))
    if not is_email(text):
        raise invalid(_("Revisa el correo: debe verse como nombre@dominio.com."))
    return text


def phone_digits(text: str) -> str:
    """The ten digits of a Colombian telephone, without the country's code. Empty when it is none.

    Only the number of digits is checked, so that a number of a new operator is no problem.
    """
    if not text or any(c.isalpha() for c in text):  # letters on the keys, an extension
        return ""
    import phonenumbers  # 2 MiB that a shop nobody writes to does without

    try:
        number = phonenumbers.parse(text, COUNTRY)
    except phonenumbers.NumberParseException:
        return ""
    digits = phonenumbers.national_significant_number(number)
    return digits if number.country_code == COUNTRY_CODE and len(digits) == 10 else ""


def require_phone(text: str, first: str = "36") -> str:
    """The ten digits of a Colombian telephone that begins with one of the digits `first` (mobile: 3, landline: 6).

    Raises:
        PydanticCustomError: it is none.
    """
    if not text:
        raise invalid(_("Escribe tu celular."))
    digits = phone_digits(text)
    if not digits or digits[0] not in first:
        raise invalid(_("El celular debe tener 10 dígitos, como 300 123 4567."))
    return digits


_BETWEEN_LETTERS = " '’‘`´.·・-‐"
_READS_AS_HOST = re.compile(r"(?<=\S)\.(?=[^\W\d_]{2})")
"""A dot that mail programs make a link of, as in `shop.co`, and not one as in `J.R.` or `Ma. José`."""
_NO_COMPANY = frozenset('<>@|\\"')


def tidy_name(value: Any) -> str:
    """A name as it is kept: one line, with each letter and its accents as one character where there is one."""
    return unicodedata.normalize("NFC", one_line(value))


def is_person_name(name: str) -> bool:
    """Whether a tidy name could be a person's first or last name, in any script.

    It has letters and their marks, spaces, dots, hyphens and apostrophes: no digits, nothing that reads as a link.
    """
    return (
        0 < len(name) <= MAX_NAME
        and any(map(str.isalpha, name))
        and all(_belongs_to_a_name(c) for c in name)
        and not _READS_AS_HOST.search(name)
    )


def is_company_name(name: str) -> bool:
    """Whether a tidy name could be a company's: digits and signs too, as in `3M & Hijos S.A.S.`, but no link."""
    return (
        0 < len(name) <= MAX_NAME
        and any(map(str.isalnum, name))
        and not _NO_COMPANY.intersection(name)
        and "//" not in name
        and not _READS_AS_HOST.search(name)
    )


def clean_name(value: Any) -> str:
    """A person's name from elsewhere, or stored before there was a rule: cut to what `is_person_name` allows.

    Empty when nothing is left.
    """
    letters = "".join(c if _belongs_to_a_name(c) else " " for c in tidy_name(value))
    name = one_line(_READS_AS_HOST.sub(". ", letters))[:MAX_NAME].strip()
    return name if is_person_name(name) else ""


def full_name(address: Mapping[str, Any]) -> str:
    """Return first and last name of an address (or of anything with these fields) on one line; empty if it has none."""
    return " ".join(filter(None, (clean_name(address.get(part)) for part in ("first_name", "last_name"))))


def _belongs_to_a_name(c: str) -> bool:
    return c.isalpha() or c in _BETWEEN_LETTERS or unicodedata.category(c) in ("Mn", "Mc")


def require_person_name(text: str, missing: str) -> str:
    """A first or last name of a person. `missing` is the message when it is empty.

    Raises:
        PydanticCustomError: it is too long or none: see `is_person_name`.
    """
    name = require_length(tidy_name(text), 1, MAX_NAME, missing)
    if not is_person_name(name):
        raise invalid(_("Usa solo letras."))
    return name


def require_company_name(text: str, missing: str) -> str:
    """The name of a company. `missing` is the message when it is empty.

    Raises:
        PydanticCustomError: it is too long or none: see `is_company_name`.
    """
    name = require_length(tidy_name(text), 2, MAX_NAME, missing)
    if not is_company_name(name):
        raise invalid(_("Escribe el nombre de la empresa, sin enlaces."))
    return name


def document_number(text: str) -> str:
    """The number of an identity document without spaces, dots, commas and hyphens, in capitals."""
    return re.sub(r"[\s.,-]", "", text).upper()


def nit_number(text: str) -> str:
    """A NIT without its check digit, which may be written after a hyphen.

    Raises:
        PydanticCustomError: the check digit is wrong.
    """
    written = re.fullmatch(r"(.*?)\s*-\s*(\d)", text, re.ASCII)
    if written is None:
        return document_number(text)
    number = document_number(written[1])
    if number.isdecimal() and number.isascii() and nit.calc_check_digit(number) != written[2]:
        raise invalid(_("Revisa el NIT: su dígito de verificación no corresponde."))
    return number


Line = Annotated[str, BeforeValidator(one_line)]
Email = Annotated[Line, AfterValidator(require_email)]
AccountEmail = Annotated[str, BeforeValidator(tidy_email), AfterValidator(require_email)]
"""See `tidy_email`."""
FirstName = Annotated[Line, AfterValidator(lambda text: require_person_name(text, _("Escribe tu nombre.")))]
LastName = Annotated[Line, AfterValidator(lambda text: require_person_name(text, _("Escribe tu apellido.")))]
Phone = Annotated[Line, AfterValidator(require_phone)]
OptionalPhone = Annotated[Line, AfterValidator(lambda text: require_phone(text) if text else "")]

Form = TypeVar("Form", bound=BaseModel)


def problems_of(error: ValidationError) -> dict[str, str]:
    """The first message of each field; `form` is the key of what is wrong with all of them together."""
    problems: dict[str, str] = {}
    for problem in error.errors(include_url=False, include_input=False):
        problems.setdefault(str(problem["loc"][0]) if problem["loc"] else "form", problem["msg"])
    return problems


def read_form(form: type[Form], typed: Mapping[str, Any], context: Mapping[str, Any] | None = None) -> Form:
    """The form with what was typed, by the names of its fields. `context` is given to its validators.

    Raises:
        InvalidData: `fields` has a message for each field that is wrong, in the shop's language.
    """
    try:
        return form.model_validate(dict(typed), context=dict(context or {}))
    except ValidationError as error:
        raise InvalidData(CHECK_FIELDS, fields=problems_of(error)) from None
