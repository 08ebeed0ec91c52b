"""An address and a password that a program sends, and the bearer token it gets (wire: Customers and auth)."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from backend.core.errors import Unauthorized
from backend.edge.schemas import LenientBody, example

MAX_EMAIL = 320
EXAMPLE = "eyJhbGciOiJIUzI1NiJ9.eyJhY3Rvcl90eXBlIjoidXNlciJ9.c2lnbmF0dXJl"


class Credentials(LenientBody):
    """An address and a password. Whatever is wrong with them is answered with 401, so both may be anything."""

    model_config = example(email="admin@trompo.example", password="una clave larga")  # noqa: S106 - a documented one

    email: Any = Field(None, description="Text.")
    password: Any = Field(None, description="Text.")


class TokenAnswer(TypedDict):
    """A bearer token, good for a day."""

    token: Annotated[str, Field(examples=[EXAMPLE])]


def texts_of(body: Credentials) -> tuple[str, str]:
    """The address and the password.

    Raises:
        Unauthorized: one of them is no text.
    """
    if not isinstance(body.password, str) or not body.password:
        raise Unauthorized("Password should be a string")
    if not isinstance(body.email, str) or not body.email or len(body.email) > MAX_EMAIL:
        raise Unauthorized("Email should be a string")
    return body.email, body.password
