"""The gateway's API, with planned faults. The official SDK and the shop's lookups call it.

Bearer tokens have the form of a JWT. They are not stored: their signature and `exp` are enough to check them.
"""

import asyncio
import hashlib
import hmac
import json
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from backend.core.clock import now
from backend.payment.providers.pse.requests import GatewayCredentials
from backend.sandbox.gateway import responses
from backend.sandbox.gateway.debits import Unreadable, find_errors, find_refusal_code, read_fields
from backend.sandbox.gateway.faults import Fault, FaultKind, Faults, Operation
from backend.sandbox.gateway.ledger import DuplicateInvoice, Ledger
from backend.sandbox.gateway.responses import bank_refusal_response, lookup_error_response

Handler = Callable[[Request], Awaitable[Response]]


class Endpoint:
    """An endpoint that runs `handler`, or answers with the fault that is planned for its operation."""

    def __init__(self, operation: Operation, handler: Handler, faults: Faults) -> None:
        self._operation = operation
        self._handler = handler
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        fault = self._faults.take(self._operation)
        if fault is not None and fault.kind is FaultKind.HANG:
            await _wait_for_disconnect(receive)
            return
        response = await (
            self._handler(request) if fault is None else self._respond_with_fault(request, fault)
        )
        await response(scope, receive, send)

    async def _respond_with_fault(self, request: Request, fault: Fault) -> Response:
        if fault.kind in _REPLACEMENTS:
            return _REPLACEMENTS[fault.kind](fault)
        if fault.kind is FaultKind.SLOW:
            await asyncio.sleep(fault.seconds)
        response = await self._handler(request)
        if fault.kind is FaultKind.MISSING_REDIRECT:
            return _without_redirect(response)
        if fault.kind is FaultKind.DROP_RESPONSE:
            # fewer bytes than announced: a socket breaks the connection; in memory the JSON is incomplete
            return Response(_HALF_A_JSON, headers={"content-length": "4096"}, media_type="application/json")
        return response


_HALF_A_JSON = '{"success": tr'

_REPLACEMENTS: dict[FaultKind, Callable[[Fault], Response]] = {
    FaultKind.BAD_GATEWAY: lambda _: Response(
        "<html><h1>502 Bad Gateway</h1></html>", 502, media_type="text/html"
    ),
    FaultKind.UNAUTHORIZED: lambda _: JSONResponse({"message": "Unauthorized"}, 401),
    FaultKind.MALFORMED: lambda _: Response(_HALF_A_JSON, media_type="application/json"),
    FaultKind.ERROR_ENVELOPE: lambda _: JSONResponse(lookup_error_response()),
    FaultKind.REFUSAL: lambda fault: JSONResponse(bank_refusal_response(fault.code)),
}
"""Responses of faults that replace the operation."""


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _without_redirect(response: Response) -> Response:
    answer = json.loads(bytes(response.body))
    answer.get("data", {}).pop("urlbanco", None)
    return JSONResponse(answer)


TOKEN_LIFETIME = timedelta(minutes=20)
"""Validity of a token (wire: gateway 1.1)."""


def issue_token(secret: str, audience: str, now: datetime) -> str:
    """Create a token for one of the gateway's services."""
    header = _encode_claims({"alg": "HS256", "typ": "JWT"})
    claims = _encode_claims(
        {"aud": audience, "iat": int(now.timestamp()), "exp": int((now + TOKEN_LIFETIME).timestamp())}
    )
    return f"{header}.{claims}.{_signature(secret, f'{header}.{claims}')}"


def is_valid_token(token: str, secret: str, audience: str, now: datetime) -> bool:
    """Return True if this gateway issued the token for this service and it has not expired."""
    signed, _, signature = token.rpartition(".")
    if not hmac.compare_digest(_signature(secret, signed).encode(), signature.encode()):
        return False
    payload = signed.rpartition(".")[2]
    claims = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return bool(claims["aud"] == audience and claims["exp"] > now.timestamp())


def _encode_claims(claims: dict[str, object]) -> str:
    return _base64(json.dumps(claims, separators=(",", ":")).encode())


def _signature(secret: str, signed: str) -> str:
    return _base64(hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest())


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


_RESTPAGOS, _APIFY = "restpagos", "apify"


class GatewayApi:
    """The request handlers. `public_base` is the address at which browsers reach the gateway and the bank's page."""

    def __init__(self, ledger: Ledger, keys: GatewayCredentials, public_base: str) -> None:
        self._ledger = ledger
        self._public_base = public_base
        self._keys = keys
        self._public_key = keys.public_key.get_secret_value()
        self._private_key = keys.private_key.get_secret_value()

    def routes(self, faults: Faults) -> list[Route]:
        """Return one route per operation. Each route applies the faults planned for its operation."""
        operations: list[tuple[str, str, Operation, Handler]] = [
            ("POST", "/v1/auth/login", Operation.LOGIN, self.login),
            ("GET", "/restpagos/pse/bancos.json", Operation.BANKS, self.banks),
            ("POST", "/restpagos/pagos/debitos.json", Operation.CREATE, self.create),
            ("GET", "/restpagos/pse/transactioninfomation.json", Operation.BY_TICKET, self.look_up_ticket),
            ("GET", "/restpagos/transaction/response.json", Operation.BY_REFERENCE, self.look_up_reference),
            ("GET", "/validation/v1/reference/{reference}", Operation.PUBLIC_LOOKUP, self.public_lookup),
            ("POST", "/login", Operation.LOGIN, self.apify_login),
            ("POST", "/transaction/detail", Operation.BY_INVOICE, self.look_up_invoice),
        ]
        return [
            Route(path, Endpoint(operation, handler, faults), methods=[method])
            for method, path, operation, handler in operations
        ]

    async def login(self, request: Request) -> Response:
        """Handle `POST /v1/auth/login`."""
        given = await _parse_json(request)
        keys = (
            (given.get("public_key"), given.get("private_key")) if isinstance(given, dict) else (None, None)
        )
        if not self._are_valid_keys(*keys):
            return JSONResponse(
                {"status": False, "message": "Unauthorized", "error": "invalid_credentials"}, 401
            )
        return JSONResponse({"bearer_token": issue_token(self._private_key, _RESTPAGOS, now())})

    async def banks(self, request: Request) -> Response:
        """Handle `GET /restpagos/pse/bancos.json`."""
        return self._find_refusal(request) or JSONResponse(responses.bank_list_response())

    async def create(self, request: Request) -> Response:
        """Handle `POST /restpagos/pagos/debitos.json`. Every refusal has HTTP status 200."""
        if not self._has_token(request, _RESTPAGOS):
            return _unauthorized()
        try:
            fields = read_fields(await _parse_json(request), self._keys)
        except Unreadable:
            return JSONResponse(responses.hard_error_response())
        invoice = str(fields.get("factura", ""))
        if errors := find_errors(fields):
            return JSONResponse(responses.validation_error_response(invoice, errors))
        if code := find_refusal_code(fields):
            return JSONResponse(responses.bank_refusal_response(code))
        try:
            transaction = await self._ledger.open_transaction(fields)
        except DuplicateInvoice:
            return JSONResponse(
                responses.validation_error_response(invoice, [("E035", "La factura ya existe")])
            )
        return JSONResponse(
            responses.created_response(transaction, f"{self._public_base}/bank/{transaction.bank_token}")
        )

    async def look_up_ticket(self, request: Request) -> Response:
        """Handle `GET /restpagos/pse/transactioninfomation.json`."""
        if refused := self._find_refusal(request):
            return refused
        found = await self._ledger.find_by_ticket(request.query_params.get("transactionID", ""))
        return JSONResponse(responses.ticket_response(found) if found else responses.lookup_error_response())

    async def look_up_reference(self, request: Request) -> Response:
        """Handle `GET /restpagos/transaction/response.json`."""
        if refused := self._find_refusal(request):
            return refused
        found = await self._ledger.find_by_reference(request.query_params.get("ref_payco", ""))
        return JSONResponse(
            responses.reference_response(found, self._keys) if found else responses.lookup_error_response()
        )

    async def public_lookup(self, request: Request) -> Response:
        """Handle `GET /validation/v1/reference/{reference}`.

        It needs no login. It finds a transaction by its random `browser_reference`, not by its number.
        """
        found = await self._ledger.find_by_browser_reference(request.path_params["reference"])
        return JSONResponse(
            responses.public_response(found, self._keys) if found else responses.lookup_error_response()
        )

    async def apify_login(self, request: Request) -> Response:
        """Handle `POST /login` of Apify, the gateway's newer service."""
        expected = f"Basic {b64encode(f'{self._public_key}:{self._private_key}'.encode()).decode()}"
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), expected.encode()):
            return _unauthorized()
        return JSONResponse({"token": issue_token(self._private_key, _APIFY, now())})

    async def look_up_invoice(self, request: Request) -> Response:
        """Handle `POST /transaction/detail` of Apify, the gateway's newer service."""
        if not self._has_token(request, _APIFY):
            return _unauthorized()
        body = await _parse_json(request)
        condition = body.get("filter") if isinstance(body, dict) else None
        invoice = condition.get("referenceClient") if isinstance(condition, dict) else None
        return JSONResponse(responses.details_response(await self._ledger.list_by_invoice(str(invoice))))

    def _find_refusal(self, request: Request) -> Response | None:
        """Return the error response to a lookup without a valid token or public key; None if both are valid."""
        if not self._has_token(request, _RESTPAGOS):
            return _unauthorized()
        if request.query_params.get("public_key") != self._public_key:
            return JSONResponse(responses.lookup_error_response())
        return None

    def _has_token(self, request: Request, audience: str) -> bool:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return scheme == "Bearer" and is_valid_token(token, self._private_key, audience, now())

    def _are_valid_keys(self, public_key: Any, private_key: Any) -> bool:
        pairs = ((public_key, self._public_key), (private_key, self._private_key))
        return all(
            isinstance(given, str) and hmac.compare_digest(given.encode(), ours.encode())
            for given, ours in pairs
        )


def _unauthorized() -> Response:
    return JSONResponse({"message": "Unauthorized"}, 401)


async def _parse_json(request: Request) -> Any:
    """Return the body's JSON; None if it is not JSON."""
    try:
        return json.loads(await request.body())
    except ValueError:
        return None
