"""The gateway's own interface: what the official SDK and the lookups call, with a fault in front where one is due.

Bearer tokens are in the shape of a JWT. Nothing is remembered of them: the signature and `exp` say all.
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
from backend.sandbox.gateway.debits import Unreadable, errors_in, read_fields, refusal_code
from backend.sandbox.gateway.faults import Fault, Faults, Kind, Operation
from backend.sandbox.gateway.ledger import DuplicateInvoice, Ledger
from backend.sandbox.gateway.responses import bank_refusal, lookup_error

Handler = Callable[[Request], Awaitable[Response]]


class Endpoint:
    """Answers requests with `handler`, unless a fault is due."""

    def __init__(self, operation: Operation, handler: Handler, faults: Faults) -> None:
        self._operation = operation
        self._handler = handler
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        fault = self._faults.take(self._operation)
        if fault is not None and fault.kind is Kind.HANG:
            await _until_given_up(receive)
            return
        response = await (self._handler(request) if fault is None else self._failing(request, fault))
        await response(scope, receive, send)

    async def _failing(self, request: Request, fault: Fault) -> Response:
        if fault.kind in _INSTEAD:
            return _INSTEAD[fault.kind](fault)
        if fault.kind is Kind.SLOW:
            await asyncio.sleep(fault.seconds)
        response = await self._handler(request)
        if fault.kind is Kind.MISSING_REDIRECT:
            return _without_redirect(response)
        if fault.kind is Kind.DROP_RESPONSE:
            # fewer bytes than promised: over a socket the connection breaks, in memory the JSON ends too soon
            return Response(_HALF_A_JSON, headers={"content-length": "4096"}, media_type="application/json")
        return response


_HALF_A_JSON = '{"success": tr'

_INSTEAD: dict[Kind, Callable[[Fault], Response]] = {
    Kind.BAD_GATEWAY: lambda _: Response(
        "<html><h1>502 Bad Gateway</h1></html>", 502, media_type="text/html"
    ),
    Kind.UNAUTHORIZED: lambda _: JSONResponse({"message": "Unauthorized"}, 401),
    Kind.MALFORMED: lambda _: Response(_HALF_A_JSON, media_type="application/json"),
    Kind.ERROR_ENVELOPE: lambda _: JSONResponse(lookup_error()),
    Kind.REFUSAL: lambda fault: JSONResponse(bank_refusal(fault.code)),
}
"""The faults that keep the operation from being done at all."""


async def _until_given_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _without_redirect(response: Response) -> Response:
    answer = json.loads(bytes(response.body))
    answer.get("data", {}).pop("urlbanco", None)
    return JSONResponse(answer)


LIFETIME = timedelta(minutes=20)
"""How long a token lasts (wire: gateway 1.1)."""


def issue(secret: str, audience: str, now: datetime) -> str:
    """A token for one of the gateway's services."""
    header = _part({"alg": "HS256", "typ": "JWT"})
    claims = _part({"aud": audience, "iat": int(now.timestamp()), "exp": int((now + LIFETIME).timestamp())})
    return f"{header}.{claims}.{_signature(secret, f'{header}.{claims}')}"


def is_valid(token: str, secret: str, audience: str, now: datetime) -> bool:
    """Whether we issued the token for this service and it still lasts."""
    signed, _, signature = token.rpartition(".")
    if not hmac.compare_digest(_signature(secret, signed).encode(), signature.encode()):
        return False
    payload = signed.rpartition(".")[2]
    claims = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return bool(claims["aud"] == audience and claims["exp"] > now.timestamp())


def _part(claims: dict[str, object]) -> str:
    return _base64(json.dumps(claims, separators=(",", ":")).encode())


def _signature(secret: str, signed: str) -> str:
    return _base64(hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest())


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


_RESTPAGOS, _APIFY = "restpagos", "apify"


class GatewayApi:
    """The handlers. `public_base` is where browsers reach the gateway, the bank's page included."""

    def __init__(self, ledger: Ledger, keys: GatewayCredentials, public_base: str) -> None:
        self._ledger = ledger
        self._public_base = public_base
        self._keys = keys
        self._public_key = keys.public_key.get_secret_value()
        self._private_key = keys.private_key.get_secret_value()

    def routes(self, faults: Faults) -> list[Route]:
        """One route an operation, each with its faults."""
        operations: list[tuple[str, str, Operation, Handler]] = [
            ("POST", "/v1/auth/login", Operation.LOGIN, self.login),
            ("GET", "/restpagos/pse/bancos.json", Operation.BANKS, self.banks),
            ("POST", "/restpagos/pagos/debitos.json", Operation.CREATE, self.create),
            ("GET", "/restpagos/pse/transactioninfomation.json", Operation.BY_TICKET, self.by_ticket),
            ("GET", "/restpagos/transaction/response.json", Operation.BY_REFERENCE, self.by_reference),
            ("GET", "/validation/v1/reference/{reference}", Operation.PUBLIC_LOOKUP, self.public_lookup),
            ("POST", "/login", Operation.LOGIN, self.apify_login),
            ("POST", "/transaction/detail", Operation.BY_INVOICE, self.by_invoice),
        ]
        return [
            Route(path, Endpoint(operation, handler, faults), methods=[method])
            for method, path, operation, handler in operations
        ]

    async def login(self, request: Request) -> Response:
        """`POST /v1/auth/login`."""
        given = await _json(request)
        keys = (
            (given.get("public_key"), given.get("private_key")) if isinstance(given, dict) else (None, None)
        )
        if not self._are_ours(*keys):
            return JSONResponse(
                {"status": False, "message": "Unauthorized", "error": "invalid_credentials"}, 401
            )
        return JSONResponse({"bearer_token": issue(self._private_key, _RESTPAGOS, now())})

    async def banks(self, request: Request) -> Response:
        """`GET /restpagos/pse/bancos.json`."""
        return self._refused(request) or JSONResponse(responses.bank_list())

    async def create(self, request: Request) -> Response:
        """`POST /restpagos/pagos/debitos.json`: every refusal is told with HTTP 200."""
        if not self._has_token(request, _RESTPAGOS):
            return _unauthorized()
        try:
            fields = read_fields(await _json(request), self._keys)
        except Unreadable:
            return JSONResponse(responses.hard_error())
        invoice = str(fields.get("factura", ""))
        if errors := errors_in(fields):
            return JSONResponse(responses.validation_error(invoice, errors))
        if code := refusal_code(fields):
            return JSONResponse(responses.bank_refusal(code))
        try:
            transaction = await self._ledger.open(fields)
        except DuplicateInvoice:
            return JSONResponse(responses.validation_error(invoice, [("E035", "La factura ya existe")]))
        return JSONResponse(
            responses.created(transaction, f"{self._public_base}/bank/{transaction.bank_token}")
        )

    async def by_ticket(self, request: Request) -> Response:
        """`GET /restpagos/pse/transactioninfomation.json`."""
        if refused := self._refused(request):
            return refused
        found = await self._ledger.by_ticket(request.query_params.get("transactionID", ""))
        return JSONResponse(responses.by_ticket(found) if found else responses.lookup_error())

    async def by_reference(self, request: Request) -> Response:
        """`GET /restpagos/transaction/response.json`."""
        if refused := self._refused(request):
            return refused
        found = await self._ledger.by_reference(request.query_params.get("ref_payco", ""))
        return JSONResponse(responses.by_reference(found, self._keys) if found else responses.lookup_error())

    async def public_lookup(self, request: Request) -> Response:
        """`GET /validation/v1/reference/{reference}`: no login, and only the reference a browser carries."""
        found = await self._ledger.by_browser_reference(request.path_params["reference"])
        return JSONResponse(responses.public(found, self._keys) if found else responses.lookup_error())

    async def apify_login(self, request: Request) -> Response:
        """`POST /login` of the newer service."""
        expected = f"Basic {b64encode(f'{self._public_key}:{self._private_key}'.encode()).decode()}"
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), expected.encode()):
            return _unauthorized()
        return JSONResponse({"token": issue(self._private_key, _APIFY, now())})

    async def by_invoice(self, request: Request) -> Response:
        """`POST /transaction/detail` of the newer service."""
        if not self._has_token(request, _APIFY):
            return _unauthorized()
        asked = await _json(request)
        condition = asked.get("filter") if isinstance(asked, dict) else None
        invoice = condition.get("referenceClient") if isinstance(condition, dict) else None
        return JSONResponse(responses.details(await self._ledger.by_invoice(str(invoice))))

    def _refused(self, request: Request) -> Response | None:
        """The refusal of a reading call without our token or our key."""
        if not self._has_token(request, _RESTPAGOS):
            return _unauthorized()
        if request.query_params.get("public_key") != self._public_key:
            return JSONResponse(responses.lookup_error())
        return None

    def _has_token(self, request: Request, audience: str) -> bool:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return scheme == "Bearer" and is_valid(token, self._private_key, audience, now())

    def _are_ours(self, public_key: Any, private_key: Any) -> bool:
        pairs = ((public_key, self._public_key), (private_key, self._private_key))
        return all(
            isinstance(given, str) and hmac.compare_digest(given.encode(), ours.encode())
            for given, ours in pairs
        )


def _unauthorized() -> Response:
    return JSONResponse({"message": "Unauthorized"}, 401)


async def _json(request: Request) -> Any:
    """The body's JSON; None when it is none."""
    try:
        return json.loads(await request.body())
    except ValueError:
        return None
