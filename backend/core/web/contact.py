"""Validation of contact data: e-mail addresses, phone numbers and names.

The account's forms, the checkout's form, the payer of PSE and the bodies of the API use these rules. They check one
line of text (`Line`); an error is a `PydanticCustomError` with a message for the customer. A form is a pydantic
model of the types at the end of this module, parsed with `read_form`.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from functools import cache
from types import ModuleType
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ValidationError
from pydantic_core import PydanticCustomError

from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData
from backend.core.texts import _

MAX_EMAIL_LENGTH = 60
"""Maximum length that the carrier accepts."""
MAX_NAME_LENGTH = 50
"""Maximum length of the name of a person or a company; the minimum is one letter."""
COUNTRY, COUNTRY_CODE = "CO", 57
COLOMBIAN_FIRST_DIGITS = "36"
"""First digits of a mobile number and of a landline."""
FOREIGN_PHONE = _(
    "Ese número es de otro país. Escribe un celular de Colombia, de 10 dígitos, como 300 123 4567: el banco y la "
    "transportadora no aceptan otro."
)


def field_error(message: str) -> PydanticCustomError:
    """Return an error to raise in a validator. `message` is a whole sentence for the customer."""
    return PydanticCustomError("shopper", "{message}", {"message": message})


def is_web_address(text: str) -> bool:
    """Return True if the text is an HTTP or HTTPS URL with a host. Nothing else may become a link."""
    if not text.isprintable():  # `urlsplit` ignores line breaks and tabs
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def is_plain_url(text: str, schemes: Collection[str]) -> bool:
    """Return True if the text is an ASCII URL with one of these schemes and a host, without a user name."""
    if not text.isascii() or " " in text:
        return False
    try:
        parts = urlsplit(text)
        is_port_valid = parts.port is None or parts.port > 0
    except ValueError:
        return False
    return is_port_valid and parts.scheme in schemes and bool(parts.hostname) and "@" not in parts.netloc


def to_one_line(value: Any) -> str:
    """Return the text without control characters, repeated spaces and spaces at its ends; empty for other values."""
    text = value if isinstance(value, str) else ""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def to_paragraphs(value: Any) -> str:
    """Return the text with its line breaks but without control characters; empty if the value is no text."""
    text = value if isinstance(value, str) else ""
    lines = ("".join(c for c in line if c.isprintable() or c == "\t").rstrip() for line in text.splitlines())
    return "\n".join(lines).strip()


def require_length(text: str, min_length: int, max_length: int, missing: str) -> str:
    """Return the text if it has `min_length` to `max_length` characters.

    Raises:
        PydanticCustomError: it is too short or too long. If it is empty, the message is `missing`.
    """
    if not text:
        raise field_error(missing)
    if len(text) < min_length:
        raise field_error(_("Escribe al menos {count} caracteres.").format(count=min_length))
    if len(text) > max_length:
        raise field_error(_("Usa máximo {count} caracteres.").format(count=max_length))
    return text


def is_email(text: str) -> bool:
    """Return True if the text is an e-mail address with an ASCII domain. The DNS is not queried."""
    validator = _email_validator()
    try:
        validator.validate_email(text, check_deliverability=False, strict=True)
    except validator.EmailNotValidError:
        return False
    return text.rpartition("@")[2].isascii()


@cache
def _email_validator() -> ModuleType:
    """Return the module `email_validator`, set to accept the domains `local` and `test`, for trying out a shop."""
    import email_validator

    email_validator.SPECIAL_USE_DOMAIN_NAMES[:] = [
        name for name in email_validator.SPECIAL_USE_DOMAIN_NAMES if name not in {"local", "test"}
    ]
    return email_validator


def tidy_email(value: Any) -> str:
    """Return an e-mail address in the form by which accounts are found: trimmed and in lower case."""
    return value.strip().casefold() if isinstance(value, str) else ""


def require_email(text: str, max_length: int = MAX_EMAIL_LENGTH) -> str:
    """Return the address unchanged if it is valid.

    Raises:
        PydanticCustomError: it is not an e-mail address, or has more than `max_length` characters.
    """
    if not text:
        raise field_error(_("Escribe tu correo electrónico."))
    if len(text) > max_length:
        raise field_error(_("Usa un correo de máximo {count} caracteres.").format(count=max_length))
    if not is_email(text):
        raise field_error(_("Revisa el correo: debe verse como nombre@dominio.com."))
    return text


def parse_phone(text: str) -> str:
    """Return the ten digits of a Colombian phone number, without the country code; empty if it is not one.

    The prefixes +57, 57, 0057 and 0 are removed. Only the number of digits is checked, so that numbers of new
    operators are accepted.
    """
    country_code, digits = _parse_number(text)
    return digits if country_code == COUNTRY_CODE and len(digits) == 10 else ""


def _parse_number(text: str) -> tuple[int, str]:
    """Return the country code and the national digits of a phone number; 0 and no digits if it is not one."""
    if not text or any(c.isalpha() for c in text):  # letters of the keypad, or an extension
        return 0, ""
    import phonenumbers  # takes 2 MiB, so it is imported at the first use

    dialled = _COLOMBIAN_PREFIX.sub("", text)
    if dialled == text:
        dialled = _INTERNATIONAL_PREFIX.sub("+", text)
    try:
        number = phonenumbers.parse(dialled, COUNTRY)
        digits = phonenumbers.national_significant_number(number)
        if (
            number.country_code == COUNTRY_CODE
            and len(digits) > 10
            and digits[0] not in COLOMBIAN_FIRST_DIGITS
        ):
            foreign = phonenumbers.parse(f"+{digits}")  # `1 305 555 0147`, without the sign
            number = foreign if phonenumbers.is_valid_number(foreign) else number
    except phonenumbers.NumberParseException:
        return 0, ""
    return number.country_code or 0, phonenumbers.national_significant_number(number)


_COLOMBIAN_PREFIX = re.compile(r"^\D*(?:(?:0\D*0?\D*)?57\D*0?|00?)(?=(?:\D*\d){10}\D*$)", re.ASCII)
"""Digits dialled before the ten digits of a Colombian number: the country code, or the prefix of long distance."""
_INTERNATIONAL_PREFIX = re.compile(r"^\D*00(?=\d)", re.ASCII)
"""The prefix `00`, which most countries dial instead of `+`. In Colombia, a digit of the operator follows it."""


def require_phone(
    text: str, first: str = COLOMBIAN_FIRST_DIGITS, missing: str = _("Escribe tu celular.")
) -> str:
    """Return the ten digits of a Colombian phone number that begins with a digit in `first`.

    `missing` is the error message if the text is empty.

    Raises:
        PydanticCustomError: it is not such a number.
    """
    if not text:
        raise field_error(missing)
    country_code, digits = _parse_number(text)
    if country_code and country_code != COUNTRY_CODE:
        raise field_error(FOREIGN_PHONE)
    if len(digits) != 10 or digits[0] not in first:
        raise field_error(_("El celular debe tener 10 dígitos, como 300 123 4567."))
    return digits


_BETWEEN_LETTERS = " '’‘`´.·・-‐()"
_READS_AS_HOST = re.compile(r"(?<=\S)\.(?=[^\W\d_]{2})")
"""A dot that mail programs turn into a link, as in `shop.co`, but not one as in `J.R.` or `Ma. José`."""
_ABBREVIATIONS = (
    "ma|mª|dr|dra|sr|sra|srta|sor|fray|pbro|ing|arq|lic|abg|prof|sto|sta|fco|fca|gral|cap|hno|hna|don|do.a"
)
_GLUED_ABBREVIATION = re.compile(
    rf"(?<![^\W\d_.])(?:(?i:{_ABBREVIATIONS})|[A-ZÁÉÍÓÚÑÜ][a-záéíóúñü]{{0,2}})\.(?=[^\W\d_]{{2}})"
)
"""An abbreviation without a space after its dot, as in `Ma.Fernanda`, `dr.josé` or `J.Pablo`."""
_NO_COMPANY = frozenset('<>@|\\"')


def tidy_name(value: Any) -> str:
    """Return a name in its stored form: one line, with accents combined with their letters (NFC)."""
    return unicodedata.normalize("NFC", to_one_line(value))


def tidy_person_name(value: Any) -> str:
    """Return the name as `tidy_name` does, with a space after an abbreviation: `Ma. Fernanda` for `Ma.Fernanda`.

    With the space, no mail program takes the name for a link.
    """
    return _GLUED_ABBREVIATION.sub(r"\g<0> ", tidy_name(value))


def is_person_name(name: str) -> bool:
    """Return True if the name can be the name of a person, or a part of such a name, in any script.

    Pass the name as `tidy_person_name` returns it. It may have letters and their marks, spaces, dots, hyphens,
    apostrophes and parentheses, but no digits and nothing like a link.
    """
    return (
        0 < len(name) <= MAX_NAME_LENGTH
        and any(map(str.isalpha, name))
        and all(_belongs_to_a_name(c) for c in name)
        and not _READS_AS_HOST.search(name)
    )


def is_company_name(name: str) -> bool:
    """Return True if a name in the form of `tidy_name` could be the name of a company, such as `3M & Hijos S.A.S.`.

    Digits and signs are allowed, but it must not look like a link.
    """
    return (
        0 < len(name) <= MAX_NAME_LENGTH
        and any(map(str.isalnum, name))
        and not _NO_COMPANY.intersection(name)
        and "//" not in name
        and not _READS_AS_HOST.search(name)
    )


def clean_name(value: Any) -> str:
    """Return a person's name without everything that `is_person_name` refuses; empty if nothing is left.

    Use it for names from other services, and for names that were stored without this check.
    """
    letters = "".join(c if _belongs_to_a_name(c) else " " for c in tidy_person_name(value))
    name = to_one_line(_READS_AS_HOST.sub(". ", letters))[:MAX_NAME_LENGTH].strip()
    return name if is_person_name(name) else ""


def full_name(address: Mapping[str, Any]) -> str:
    """Return the first and last name in an address, or in a similar mapping, on one line; empty if it has none."""
    return " ".join(filter(None, (clean_name(address.get(part)) for part in ("first_name", "last_name"))))


def _belongs_to_a_name(c: str) -> bool:
    return c.isalpha() or c in _BETWEEN_LETTERS or unicodedata.category(c) in ("Mn", "Mc")


def require_person_name(text: str, missing: str) -> str:
    """Return the tidied name of a person, or a part of it. `missing` is the message for an empty name.

    Raises:
        PydanticCustomError: it is too long or not a name: see `is_person_name`.
    """
    name = require_length(tidy_person_name(text), 1, MAX_NAME_LENGTH, missing)
    if not is_person_name(name):
        raise field_error(_("Usa solo letras."))
    return name


def require_company_name(text: str, missing: str) -> str:
    """Return the tidied name of a company. `missing` is the message for an empty name.

    Raises:
        PydanticCustomError: it is too short, too long or not a name: see `is_company_name`.
    """
    name = require_length(tidy_name(text), 2, MAX_NAME_LENGTH, missing)
    if not is_company_name(name):
        raise field_error(_("Escribe el nombre de la empresa, sin enlaces."))
    return name


Line = Annotated[str, BeforeValidator(to_one_line)]
Email = Annotated[Line, AfterValidator(require_email)]
AccountEmail = Annotated[str, BeforeValidator(tidy_email), AfterValidator(require_email)]
"""E-mail address of an account, trimmed and in lower case: see `tidy_email`."""
FirstName = Annotated[Line, AfterValidator(lambda text: require_person_name(text, _("Escribe tu nombre.")))]
LastName = Annotated[Line, AfterValidator(lambda text: require_person_name(text, _("Escribe tu apellido.")))]
Phone = Annotated[Line, AfterValidator(require_phone)]
OptionalPhone = Annotated[Line, AfterValidator(lambda text: require_phone(text) if text else "")]

Form = TypeVar("Form", bound=BaseModel)


def first_problems(error: ValidationError) -> dict[str, str]:
    """Return the first error message of each field. The key `form` has the message about the whole form."""
    problems: dict[str, str] = {}
    for problem in error.errors(include_url=False, include_input=False):
        problems.setdefault(str(problem["loc"][0]) if problem["loc"] else "form", problem["msg"])
    return problems


def read_form(form: type[Form], typed: Mapping[str, Any], context: Mapping[str, Any] | None = None) -> Form:
    """Parse the typed values, by field name, into the form. The form's validators can read `context`.

    Raises:
        InvalidData: `fields` has a message for each invalid field, in the store's language.
    """
    try:
        return form.model_validate(dict(typed), context=dict(context or {}))
    except ValidationError as error:
        raise InvalidData(CHECK_FIELDS, fields=first_problems(error)) from None
