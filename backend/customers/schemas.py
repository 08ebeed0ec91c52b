"""What crosses the border of signing in."""

from typing import Any

from pydantic import BaseModel, Field

from backend.edge.schemas import Answer, LenientBody, example

EXAMPLE = "eyJhbGciOiJIUzI1NiJ9.eyJhY3Rvcl90eXBlIjoidXNlciJ9.c2lnbmF0dXJl"


class Credentials(LenientBody):
    """An address and a password. Whatever is wrong with them is answered with 401, so both may be anything."""

    model_config = example(email="admin@trompo.example", password="una clave larga")  # noqa: S106 - a documented one

    email: Any = Field(None, description="Text.")
    password: Any = Field(None, description="Text.")


class TokenAnswer(BaseModel):
    """A bearer token, good for a day."""

    token: str = Field(examples=[EXAMPLE])


class StaffOut(Answer):
    """A member of staff."""

    id: str
    email: str = ""


class StaffAnswer(BaseModel):
    """A member of staff."""

    user: StaffOut


class SessionAnswer(BaseModel):
    """Whom the session is for; its token is in the cookie alone."""

    user: dict[str, Any]


class SignedOut(BaseModel):
    """Nobody is signed in with this cookie any more."""

    success: bool
