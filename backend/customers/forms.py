"""What a shopper types about themselves, checked field by field, in their own words."""

from collections.abc import Callable, Mapping
from typing import Any

from backend.customers.passwords import MAX_LENGTH, MIN_LENGTH
from backend.edge.schemas import is_email
from backend.errors import InvalidData

MAX_NAME = 50
MAX_EMAIL = 60
"""What a carrier takes; an account is to buy with."""
CHECK = "Revisa los datos marcados."

Rule = Callable[[Any], tuple[str, str]]
"""What was typed → it in its tidy form, and what is wrong with it (nothing: an empty text)."""


def tidy_address(value: Any) -> str:
    """An e-mail address as accounts are found by."""
    return value.strip().casefold() if isinstance(value, str) else ""


def an_email(value: Any) -> tuple[str, str]:
    """An e-mail address."""
    address = tidy_address(value)
    if not address:
        return "", "Escribe tu correo electrónico."
    if len(address) > MAX_EMAIL:
        return "", f"Usa un correo de máximo {MAX_EMAIL} caracteres."
    return address, "" if is_email(address) else "Revisa el correo: debe verse como nombre@dominio.com."


def a_name(missing: str) -> Rule:
    """A name of a person; `missing` is told when there is none."""

    def rule(value: Any) -> tuple[str, str]:
        name = " ".join(value.split()) if isinstance(value, str) else ""
        if len(name) < 2:
            return "", missing
        if len(name) > MAX_NAME:
            return "", f"Usa máximo {MAX_NAME} caracteres."
        return name, "" if all(c.isalpha() or c in " '’.-" for c in name) else "Usa solo letras."

    return rule


def a_password(value: Any) -> tuple[str, str]:
    """A new password. Any character counts, and space at its ends too."""
    password = value if isinstance(value, str) else ""
    if len(password) < MIN_LENGTH:
        return "", f"Usa al menos {MIN_LENGTH} caracteres."
    return password, f"Usa máximo {MAX_LENGTH} caracteres." if len(password) > MAX_LENGTH else ""


def a_phone(value: Any) -> tuple[str, str]:
    """A Colombian telephone, or none."""
    text = value if isinstance(value, str) else ""
    digits = "".join(c for c in text if c not in " .()-").removeprefix("+")
    if len(digits) == 12:
        digits = digits.removeprefix("57")
    if not digits:
        return "", ""
    is_one = len(digits) == 10 and digits.isascii() and digits.isdigit() and digits[0] in "36"
    return digits, "" if is_one else "El celular debe tener 10 dígitos, como 300 123 4567."


FIRST_NAME, LAST_NAME = a_name("Escribe tu nombre."), a_name("Escribe tu apellido.")
REGISTRATION: Mapping[str, Rule] = {
    "first_name": FIRST_NAME,
    "last_name": LAST_NAME,
    "email": an_email,
    "password": a_password,
}
PROFILE: Mapping[str, Rule] = {"first_name": FIRST_NAME, "last_name": LAST_NAME, "phone": a_phone}


def read_form(rules: Mapping[str, Rule], typed: Mapping[str, Any]) -> dict[str, str]:
    """What was typed, tidy.

    Raises:
        InvalidData: `fields` holds a message by field, in Spanish.
    """
    values, problems = {}, {}
    for name, rule in rules.items():
        values[name], problem = rule(typed.get(name))
        if problem:
            problems[name] = problem
    if problems:
        raise InvalidData(CHECK, fields=problems)
    return values
