"""What a shopper types about themselves, in the account's forms."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from backend.contact import AccountEmail, FirstName, LastName, OptionalPhone, invalid
from backend.customers.passwords import MAX_LENGTH, MIN_LENGTH
from backend.texts import _


def require_password(value: Any) -> str:
    """A new password. Any character counts, and space at its ends too.

    Raises:
        PydanticCustomError: it is too short or too long.
    """
    password = value if isinstance(value, str) else ""
    if len(password) < MIN_LENGTH:
        raise invalid(_("Usa al menos {count} caracteres.").format(count=MIN_LENGTH))
    if len(password) > MAX_LENGTH:
        raise invalid(_("Usa máximo {count} caracteres.").format(count=MAX_LENGTH))
    return password


Password = Annotated[str, BeforeValidator(require_password)]


class AccountForm(BaseModel):
    """A form whose fields may all be missing: what is missing is told like what is wrong. Read by `read_form`."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)


class Registration(AccountForm):
    """A new account."""

    first_name: FirstName = ""
    last_name: LastName = ""
    email: AccountEmail = ""
    password: Password = ""


class Profile(AccountForm):
    """What an account's owner may change."""

    first_name: FirstName = ""
    last_name: LastName = ""
    phone: OptionalPhone = ""


class ResetRequest(AccountForm):
    """Whose password was forgotten."""

    email: AccountEmail = ""


class NewPassword(AccountForm):
    """The password after a link of a mail."""

    password: Password = ""


class PasswordChange(AccountForm):
    """The password after the one that is known."""

    new_password: Password = ""
