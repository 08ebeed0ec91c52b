"""The embedded invoice provider over HTTP: see `backend.invoices.providers.ubl.client` for its two operations.

The DIAN has the technical key of each numbering resolution. The embedded provider uses the technical key that the
shop saved. It also has the id and PIN of the sandbox's software.
"""

import hmac
import json
from base64 import b64decode, b64encode
from binascii import Error
from typing import Any

from sqlalchemy import select
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from backend.core.config.settings import SANDBOX_INVOICE_KEY, SANDBOX_INVOICE_SOFTWARE
from backend.core.db.database import Database
from backend.core.db.tables import insert_into, row_values, table_of
from backend.core.outage import DatabaseUnavailable
from backend.migrations.sandbox_tables import SandboxInvoice
from backend.office_settings.invoicing import read_invoicing
from backend.sandbox.carrier.responses import InterruptedResponse, proxy_error_page
from backend.sandbox.invoicing.faults import Fault, Faults
from backend.sandbox.invoicing.rules import AcceptedDocument, Rejection, read_document
from backend.sandbox.outage import respond_unavailable

BASE_PATH = "/api/v1"
_INSERT = insert_into(table_of(SandboxInvoice)).on_conflict_do_nothing(index_elements=["number"])


def create_sandbox_invoicing(database: Database) -> "SandboxInvoicing":
    """Create the embedded invoice provider, which simulates the API of the real one.

    It accepts the sandbox's key, and stores its data in the shop's database.
    """
    return SandboxInvoicing(SANDBOX_INVOICE_KEY, database)


class SandboxInvoicing:
    """The provider's app, and the attributes with which tests control it.

    Attributes:
        app: the ASGI app, with the operations under `/api/v1`.
        key: the API key that the app accepts.
        faults: the planned faults.
        requests: method and path of the latest requests.
    """

    def __init__(self, key: str, database: Database) -> None:
        self.key = key
        self._database = database
        self.faults = Faults()
        self.requests: list[tuple[str, str]] = []
        self.app: ASGIApp = Starlette(
            routes=[
                Route(f"{BASE_PATH}/documents", self._create_document, methods=["POST"]),
                Route(f"{BASE_PATH}/documents/{{number}}", self._find_document, methods=["GET"]),
            ],
            exception_handlers={DatabaseUnavailable: respond_unavailable},
        )

    async def _create_document(self, request: Request) -> Response:
        if refused := self._find_refusal(request):
            return refused
        fault = self.faults.take()
        match fault:
            case Fault.SERVER_ERROR:
                return JSONResponse({"error": "internal"}, 500)
            case Fault.BAD_GATEWAY:
                return proxy_error_page()
            case Fault.REJECT:
                return _rejection_response([Rejection("FAK21", "El documento del adquiriente no es válido")])
        answer = await self._store_document(await request.body())
        if fault is Fault.DROP:
            return InterruptedResponse(answer)
        return Response("<html>", 201, media_type="text/html") if fault is Fault.MALFORMED else answer

    async def _store_document(self, body: bytes) -> Response:
        try:
            sent = json.loads(body)
            number, kind, xml = str(sent["number"]), str(sent["kind"]), b64decode(sent["xml"], validate=True)
        except (ValueError, KeyError, TypeError, Error):
            return JSONResponse({"error": "bad_request"}, 400)
        async with self._database.read() as session:
            invoicing = await read_invoicing(session)
        keys = {invoicing.resolution: invoicing.technical_key} if invoicing.resolution else {}
        document = read_document(xml, keys, SANDBOX_INVOICE_SOFTWARE)
        if not isinstance(document, AcceptedDocument):
            return _rejection_response(document)
        if (document.number, document.kind) != (number, kind):
            return JSONResponse({"error": "bad_request"}, 400)
        row = SandboxInvoice(
            number=number, kind=kind, code=document.code, xml=xml, issued_at=document.issued_at
        )
        async with self._database.transaction() as session:
            new = _INSERT.values(row_values(row))
            is_new = (await session.execute(new.returning(SandboxInvoice.number))).first() is not None
        return (
            JSONResponse(_document_view(row), 201) if is_new else JSONResponse({"error": "number_taken"}, 409)
        )

    async def _find_document(self, request: Request) -> Response:
        if refused := self._find_refusal(request):
            return refused
        query = select(SandboxInvoice).where(SandboxInvoice.number == request.path_params["number"])
        async with self._database.read() as session:
            row = (await session.execute(query)).scalar_one_or_none()
        return (
            JSONResponse(_document_view(row))
            if row is not None
            else JSONResponse({"error": "not_found"}, 404)
        )

    def _find_refusal(self, request: Request) -> Response | None:
        self.requests.append((request.method, request.url.path.removeprefix(BASE_PATH)))
        del self.requests[:-100]
        if not hmac.compare_digest(
            request.headers.get("authorization", "").encode(), f"Bearer {self.key}".encode()
        ):
            return JSONResponse({"error": "unauthorized"}, 401)
        return None


def _rejection_response(problems: list[Rejection]) -> Response:
    errors = [{"rule": one.rule, "message": one.message} for one in problems]
    return JSONResponse({"errors": errors}, 422)


def _document_view(row: SandboxInvoice) -> dict[str, Any]:
    return {
        "number": row.number,
        "code": row.code,
        "xml": b64encode(row.xml).decode(),
        "issued_at": row.issued_at.isoformat(),
    }
