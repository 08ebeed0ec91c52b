"""The gateway's own interface: what the official SDK and the lookups call."""

import hmac
import json
from base64 import b64encode
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backend.clock import now
from backend.payment.providers.pse.wire import GatewayCredentials
from backend.sandbox.gateway import answers
from backend.sandbox.gateway.debits import Unreadable, errors_in, read_fields, refusal_code
from backend.sandbox.gateway.endpoint import Endpoint, Handler
from backend.sandbox.gateway.faults import Faults, Operation
from backend.sandbox.gateway.ledger import DuplicateInvoice, Ledger
from backend.sandbox.gateway.tokens import is_valid, issue

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
        return self._refused(request) or JSONResponse(answers.bank_list())

    async def create(self, request: Request) -> Response:
        """`POST /restpagos/pagos/debitos.json`: every refusal is told with HTTP 200."""
        if not self._has_token(request, _RESTPAGOS):
            return _unauthorized()
        try:
            fields = read_fields(await _json(request), self._keys)
        except Unreadable:
            return JSONResponse(answers.hard_error())
        invoice = str(fields.get("factura", ""))
        if errors := errors_in(fields):
            return JSONResponse(answers.validation_error(invoice, errors))
        if code := refusal_code(fields):
            return JSONResponse(answers.bank_refusal(code))
        try:
            transaction = await self._ledger.open(fields)
        except DuplicateInvoice:
            return JSONResponse(answers.validation_error(invoice, [("E035", "La factura ya existe")]))
        return JSONResponse(
            answers.created(transaction, f"{self._public_base}/bank/{transaction.bank_token}")
        )

    async def by_ticket(self, request: Request) -> Response:
        """`GET /restpagos/pse/transactioninfomation.json`."""
        if refused := self._refused(request):
            return refused
        found = await self._ledger.by_ticket(request.query_params.get("transactionID", ""))
        return JSONResponse(answers.by_ticket(found) if found else answers.lookup_error())

    async def by_reference(self, request: Request) -> Response:
        """`GET /restpagos/transaction/response.json`."""
        if refused := self._refused(request):
            return refused
        found = await self._ledger.by_reference(request.query_params.get("ref_payco", ""))
        return JSONResponse(answers.by_reference(found, self._keys) if found else answers.lookup_error())

    async def public_lookup(self, request: Request) -> Response:
        """`GET /validation/v1/reference/{reference}`: no login, and only the reference a browser carries."""
        found = await self._ledger.by_browser_reference(request.path_params["reference"])
        return JSONResponse(answers.public(found, self._keys) if found else answers.lookup_error())

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
        return JSONResponse(answers.details(await self._ledger.by_invoice(str(invoice))))

    def _refused(self, request: Request) -> Response | None:
        """The refusal of a reading call without our token or our key."""
        if not self._has_token(request, _RESTPAGOS):
            return _unauthorized()
        if request.query_params.get("public_key") != self._public_key:
            return JSONResponse(answers.lookup_error())
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
