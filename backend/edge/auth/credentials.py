"""E-mail address and password that an API client sends, and the bearer token it gets (wire: Customers and auth)."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from backend.core.errors import Unauthorized
from backend.edge.schemas import LenientBody, example

MAX_EMAIL = 320
EXAMPLE = "eyJhbGciOiJIUzI1NiJ9.eyJhY3Rvcl90eXBlIjoidXNlciJ9.c2lnbmF0dXJl"


class Credentials(LenientBody):
    """An e-mail address and a password. Any value is accepted here, because every mistake is answered with 401."""

    model_config = example(email="admin@trompo.example", password="una clave larga")  # noqa: S106 - an example for the documentation

    email: Any = Field(None, description="Text.")
    password: Any = Field(None, description="Text.")


class TokenAnswer(TypedDict):
    """A bearer token, valid for a day."""

    token: Annotated[str, Field(examples=[EXAMPLE])]


def require_texts(body: Credentials) -> tuple[str, str]:
    """Return the e-mail address and the password.

    Raises:
        Unauthorized: one of them is not a text or is empty, or the e-mail address is too long.
    """
    if not isinstance(body.password, str) or not body.password:
        raise Unauthorized("Password should be a string")
    if not isinstance(body.email, str) or not body.email or len(body.email) > MAX_EMAIL:
        raise Unauthorized("Email should be a string")
    return body.email, body.password
