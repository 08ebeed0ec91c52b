"""The provider's API over HTTP: a document is sent once, and found again by its number.

    POST /documents            {"number", "kind", "xml"}  201 made; 409 the number is taken; 422 refused, with `errors`
    GET  /documents/{number}                              200 what was made; 404 nothing was

`xml` is base64. What was made is `{"number", "code", "xml", "issued_at"}`. Every request bears the key.
"""

import binascii
from base64 import b64decode, b64encode
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, SecretStr, ValidationError

from backend.core.web.http_client import HttpClient, NoAnswer, RetryPolicy, ServiceUnavailable
from backend.core.web.outside_values import parse_text, read_json, to_utc
from backend.core.web.response_limits import MAX_PDF_RESPONSE_BYTES
from backend.invoices.providers.base import DocumentRejected, Issued

SERVICE = "The invoice provider"
FIND_WITHIN = 25.0
"""Seconds for all attempts to find a document."""
LONGEST_XML = 4 << 20
MAX_PROBLEMS = 20


class _Made(BaseModel):
    """What the provider says that it made."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: str
    code: str = Field(pattern="^[0-9a-f]{96}$")
    xml: str = Field(max_length=LONGEST_XML * 2)
    issued_at: AwareDatetime


class UblClient:
    """Calls the provider. Safe to share between tasks."""

    def __init__(
        self,
        url: str,
        key: SecretStr,
        transport: httpx.AsyncBaseTransport | None = None,
        policy: RetryPolicy | None = None,
    ) -> None:
        self._http = HttpClient(
            SERVICE,
            policy or RetryPolicy(),
            base_url=url,
            headers={"authorization": f"Bearer {key.get_secret_value()}"},
            transport=transport,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    async def send(self, number: str, kind: str, xml: bytes) -> Issued:
        """Have it made, asked once.

        Raises:
            DocumentRejected: it was refused.
            NoAnswer: it may have been made, or the number is taken: `find` says which.
            ServiceUnavailable: it was not made.
        """
        body = {"number": number, "kind": kind, "xml": b64encode(xml).decode()}
        response = await self._http.send(
            "POST", "/documents", self._http.policy.write, json=body, max_bytes=MAX_PDF_RESPONSE_BYTES
        )
        if response.status_code == 422:
            raise DocumentRejected(_problems(response))
        if response.status_code == 409:
            raise NoAnswer(f"{SERVICE} has a document with the number {number} already")
        if response.status_code in (401, 403):
            raise ServiceUnavailable(f"{SERVICE} refuses the key ({response.status_code})")
        if response.status_code != 201:
            raise NoAnswer(f"{SERVICE} answered {response.status_code}")
        return _made(response, number)

    async def find(self, number: str) -> Issued | None:
        """What was made with this number; None when nothing was.

        Raises:
            ServiceUnavailable: nobody knows.
        """

        async def once() -> Issued | None:
            path = f"/documents/{quote(number, safe='')}"
            response = await self._http.send(
                "GET", path, self._http.policy.read, max_bytes=MAX_PDF_RESPONSE_BYTES
            )
            if response.status_code == 404 and _said(response).get("error") == "not_found":
                return None
            if response.status_code != 200:
                raise ServiceUnavailable(f"{SERVICE} answered {response.status_code}")
            return _made(response, number)

        return await self._http.repeat(once, seconds=FIND_WITHIN)


def _made(response: httpx.Response, number: str) -> Issued:
    """What the answer says was made.

    Raises:
        NoAnswer: it is not such an answer, or is of another number.
    """
    try:
        made = _Made.model_validate(_said(response))
        xml = b64decode(made.xml, validate=True)
    except (ValidationError, binascii.Error, ValueError):
        raise NoAnswer(f"{SERVICE} gave an answer that cannot be read") from None
    if made.number != number:
        raise NoAnswer(f"{SERVICE} answered for another number")
    moment = to_utc(made.issued_at)
    if moment is None:
        raise NoAnswer(f"{SERVICE} says that it made the document in another century")
    return Issued(made.code, xml, moment)


def _said(response: httpx.Response) -> dict[str, Any]:
    try:
        said = read_json(response.content)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _problems(response: httpx.Response) -> str:
    """Why it was refused: each rule with its words."""
    errors = _said(response).get("errors")
    told = [
        f"{parse_text(error.get('rule'))}: {parse_text(error.get('message'))}".strip(": ")
        for error in (errors[:MAX_PROBLEMS] if isinstance(errors, list) else [])
        if isinstance(error, dict)
    ]
    return "; ".join(told) or "no reason was given"
