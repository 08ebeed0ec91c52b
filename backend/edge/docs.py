"""What the documentation says of every route: how it refuses."""

from typing import Any

from pydantic import BaseModel, Field


class Refusal(BaseModel):
    """An error, in the platform's form. `type` is missing only where nobody is signed in."""

    type: str | None = Field(None, examples=["invalid_data"])
    message: str = Field(examples=["Invalid request: Field 'quantity' is required"])
    code: str | None = Field(None, examples=["insufficient_inventory"])


_SAID = {
    400: "The request is malformed, or the shop's rules forbid it.",
    401: "Nobody is signed in, or the password is wrong.",
    404: "There is no such thing.",
    409: "The state changed, or a payment is under way: look again.",
    413: "The body is longer than 100 kB.",
    422: "It exists already, or the payment was refused.",
    429: "Too many tries.",
    502: "The gateway or the carrier failed.",
}

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": said} for status, said in _SAID.items()
}
