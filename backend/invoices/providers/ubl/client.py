"""HTTP client of the provider's API: a document is sent once, and looked up by its number.

    POST /documents            {"number", "kind", "xml"}  201 issued; 409 the number exists; 422 rejected, with
        `errors`
    GET  /documents/{number}                              200 the issued document; 404 there is none

`xml` is base64. An issued document is `{"number", "code", "xml", "issued_at"}`. Every request has the API key.
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
FIND_TIMEOUT_S = 25.0
"""Seconds for all attempts to find a document."""
MAX_XML_BYTES = 4 << 20
MAX_PROBLEMS = 20


class _IssuedResponse(BaseModel):
    """The provider's response about an issued document."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: str
    code: str = Field(pattern="^[0-9a-f]{96}$")
    xml: str = Field(max_length=MAX_XML_BYTES * 2)
    issued_at: AwareDatetime


class UblClient:
    """HTTP client of the provider. Safe to share between tasks."""

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
        """Send the document once, so that the provider issues it.

        Raises:
            DocumentRejected: the document was rejected.
            NoAnswer: the document may have been issued, or its number is already used; call `find` to get the
                result.
            ServiceUnavailable: the document was not issued.
        """
        body = {"number": number, "kind": kind, "xml": b64encode(xml).decode()}
        response = await self._http.send(
            "POST", "/documents", self._http.policy.write, json=body, max_bytes=MAX_PDF_RESPONSE_BYTES
        )
        if response.status_code == 422:
            raise DocumentRejected(_format_problems(response))
        if response.status_code == 409:
            raise NoAnswer(f"{SERVICE} already has a document with the number {number}")
        if response.status_code in (401, 403):
            raise ServiceUnavailable(f"{SERVICE} refuses the key ({response.status_code})")
        if response.status_code != 201:
            raise NoAnswer(f"{SERVICE} answered {response.status_code}")
        return _parse_issued(response, number)

    async def find(self, number: str) -> Issued | None:
        """Return the result of issuing the document with this number; None if it was not issued.

        Raises:
            ServiceUnavailable: it is unknown if the document exists.
        """

        async def request() -> Issued | None:
            path = f"/documents/{quote(number, safe='')}"
            response = await self._http.send(
                "GET", path, self._http.policy.read, max_bytes=MAX_PDF_RESPONSE_BYTES
            )
            if response.status_code == 404 and _parse_object(response).get("error") == "not_found":
                return None
            if response.status_code != 200:
                raise ServiceUnavailable(f"{SERVICE} answered {response.status_code}")
            return _parse_issued(response, number)

        return await self._http.repeat(request, seconds=FIND_TIMEOUT_S)


def _parse_issued(response: httpx.Response, number: str) -> Issued:
    """Parse the response about an issued document.

    Raises:
        NoAnswer: the response cannot be parsed, or is about another number.
    """
    try:
        issued = _IssuedResponse.model_validate(_parse_object(response))
        xml = b64decode(issued.xml, validate=True)
    except (ValidationError, binascii.Error, ValueError):
        raise NoAnswer(f"{SERVICE} sent an unreadable response") from None
    if issued.number != number:
        raise NoAnswer(f"{SERVICE} answered for another number")
    moment = to_utc(issued.issued_at)
    if moment is None:
        raise NoAnswer(f"{SERVICE} sent an issue time in another century")
    return Issued(issued.code, xml, moment)


def _parse_object(response: httpx.Response) -> dict[str, Any]:
    try:
        body = read_json(response.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _format_problems(response: httpx.Response) -> str:
    """Return the reasons of the rejection: each rule with its message."""
    errors = _parse_object(response).get("errors")
    texts = [
        f"{parse_text(error.get('rule'))}: {parse_text(error.get('message'))}".strip(": ")
        for error in (errors[:MAX_PROBLEMS] if isinstance(errors, list) else [])
        if isinstance(error, dict)
    ]
    return "; ".join(texts) or "no reason was given"
