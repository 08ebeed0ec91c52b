"""The embedded carrier: its operations over HTTP, as strict as those of the real carrier (wire: carrier)."""

import base64
import hmac
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from backend.core.config.settings import SANDBOX_CARRIER_KEY, Settings
from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.core.outage import DatabaseUnavailable
from backend.migrations.sandbox_tables import SandboxLabel
from backend.sandbox.carrier import validation
from backend.sandbox.carrier.faults import (
    ALL_OPERATIONS,
    Fault,
    Faults,
    Operation,
    apply_fault,
    find_early_response,
)
from backend.sandbox.carrier.labels import Status, build_label_pdf
from backend.sandbox.carrier.ledger import Ledger, find_courier, make_rate_number, to_tracking_data
from backend.sandbox.carrier.quoting import compute_rates
from backend.sandbox.carrier.responses import (
    WRONG_KEY,
    blocked_response,
    error_response,
    plain_json,
    success_response,
)
from backend.sandbox.outage import respond_unavailable

BASE_PATH = "/api/v2"
PUBLIC_PATH = "/sandbox/carrier"
"""Path at which the app is mounted; only the labels' addresses depend on it."""

LIBRARIES = re.compile(r"^(python|httpx|curl|wget|go-http|node|axios|okhttp|java|ruby|php|$)", re.IGNORECASE)
MAX_CANCELLATION = 50
UNKNOWN_SHIPMENT = "No se encontró información para el envío."

JsonObject = dict[str, Any]
Handler = Callable[[JsonObject], Awaitable[Response]]


def create_sandbox_carrier(
    settings: Settings, database: Database, *, allow_control: bool = False, public_path: str = PUBLIC_PATH
) -> "SandboxCarrier":
    """Create the embedded carrier, which simulates the API of the real one.

    It accepts the API key of the shop's client, and stores its data in the shop's database.

    `allow_control` enables `/_control/*`, with which other programs plan faults and change shipments. Never enable
    it in public.
    """
    given = settings.carrier_api_key.get_secret_value()
    return SandboxCarrier(
        SANDBOX_CARRIER_KEY if settings.uses_sandbox_carrier else given,
        database,
        labels_url=f"{settings.base_url}{public_path}/labels",
        allow_control=allow_control,
    )


class SandboxCarrier:
    """The carrier's app, and the attributes with which tests control it.

    Attributes:
        app: the ASGI app, with the operations under `/api/v2`.
        faults: the planned faults.
        ledger: the labels.
        requests: method, path and body of the latest requests.
    """

    def __init__(self, api_key: str, database: Database, *, labels_url: str, allow_control: bool) -> None:
        self._api_key = api_key
        self._labels_url = labels_url
        self.faults = Faults()
        self.ledger = Ledger(database)
        self.requests: list[tuple[str, str, JsonObject]] = []
        self.app: ASGIApp = Starlette(
            routes=[*self._operations(), *(self._controls() if allow_control else ())],
            exception_handlers={
                HTTPException: _refuse_route,
                InvalidData: _refuse_unstorable,
                DatabaseUnavailable: respond_unavailable,
            },
        )

    def _operations(self) -> Iterator[Route]:
        for path, operation, schema, handler in (
            ("/quotation", Operation.QUOTATION, validation.QUOTATION, self._quote),
            ("/shipment", Operation.SHIPMENT, validation.SHIPMENT, self._ship),
            ("/shipment_sandbox", Operation.SHIPMENT, validation.SHIPMENT, self._ship_in_test),
            ("/track", Operation.TRACK, validation.TRACK, self._track),
            ("/track-by-orders", Operation.TRACK, validation.TRACK_ORDERS, self._track_orders),
            ("/cancellation/batch/order", Operation.CANCELLATION, validation.CANCELLATION, self._cancel),
        ):
            yield Route(BASE_PATH + path, self._endpoint(operation, schema, handler), methods=["POST"])
        nothing = validation.Fields({}, {})
        by_path = self._endpoint(Operation.TRACK, nothing, self._track_order)
        yield Route(BASE_PATH + "/track-by-orders/{idOrder:int}", by_path, methods=["GET"])
        yield Route("/labels/{idOrder:int}.pdf", self._label, methods=["GET"])

    def _controls(self) -> Iterator[Route]:
        yield Route("/_control/faults", self._control_faults, methods=["GET", "POST", "DELETE"])
        yield Route("/_control/parcels/{idOrder:int}", self._control_shipment, methods=["POST"])

    def _endpoint(
        self, operation: Operation, schema: validation.Fields, handler: Handler
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint for the operation.

        Before it calls `handler`, it checks the user agent, the API key, planned faults and the fields, in this
        order.
        """

        async def endpoint(request: Request) -> Response:
            if LIBRARIES.match(request.headers.get("user-agent", "")):
                return blocked_response()
            if not hmac.compare_digest(
                request.headers.get("authorization", "").encode(), self._api_key.encode()
            ):
                return error_response(401, WRONG_KEY)
            body = await _parse_json_object(request)
            if body is None:
                return error_response(422, "El cuerpo de la petición debe ser un objeto JSON.")
            self._remember(request, body)
            planned = self.faults.take(operation)
            early = await find_early_response(planned, request)
            if early is not None:
                return early
            wrong = schema(body)
            answer = error_response(422, wrong) if wrong else await handler({**request.path_params, **body})
            return apply_fault(answer, planned)

        return endpoint

    def _remember(self, request: Request, body: JsonObject) -> None:
        self.requests.append((request.method, request.url.path.rpartition(BASE_PATH)[2], body))
        del self.requests[:-100]

    async def _quote(self, body: JsonObject) -> Response:
        rates, not_serving = compute_rates(body)
        offered = [{"idRate": make_rate_number(rate["idCarrier"]), **rate} for rate in rates]
        return success_response({**body, "rates": offered, "idCarriersNoWsResult": not_serving})

    async def _ship(self, body: JsonObject, *, is_test: bool = False) -> Response:
        carrier = find_courier(body["idRate"])
        if carrier is None:
            return error_response(
                422, {"idRate": ["El campo idRate no corresponde a una cotización vigente."]}
            )
        label = await self.ledger.create_label(carrier, body["myShipmentReference"], is_test=is_test)
        return success_response(
            {
                **body,
                "guide": base64.b64encode(_to_pdf(label)).decode(),
                "url": f"{self._labels_url}/{label.order_id}.pdf",
                "tracker": label.tracker,
                "idOrder": label.order_id,
                "myGuideReference": label.reference,
                "carrier": label.carrier,
            }
        )

    async def _ship_in_test(self, body: JsonObject) -> Response:
        return await self._ship(body, is_test=True)

    async def _track(self, body: JsonObject) -> Response:
        label = await self.ledger.find_label_by_tracker(body["trackingCode"])
        return success_response(to_tracking_data(label) if label else UNKNOWN_SHIPMENT)

    async def _track_order(self, body: JsonObject) -> Response:
        label = await self.ledger.find_label(body["idOrder"])
        return success_response(to_tracking_data(label) if label else UNKNOWN_SHIPMENT)

    async def _track_orders(self, body: JsonObject) -> Response:
        found = {
            label.order_id: to_tracking_data(label) for label in await self.ledger.find_labels(body["orders"])
        }
        return success_response(
            {str(order_id): found.get(order_id, UNKNOWN_SHIPMENT) for order_id in body["orders"]}
        )

    async def _cancel(self, body: JsonObject) -> Response:
        order_ids: list[int] = body["idOrders"]
        if len(order_ids) > MAX_CANCELLATION:
            return error_response(422, {"idOrders": [f"Se pueden cancelar máximo {MAX_CANCELLATION} guías."]})
        canceled = await self.ledger.cancel_labels(order_ids)
        if canceled is None:
            return error_response(422, "orders not found")
        lists: dict[str, list[int]] = {
            "not_valid_orders": [],
            "only_cancel_orders": [],
            "to_refund_orders": [],
        }
        for label, was_canceled in canceled:
            kind = "only_cancel_orders" if label.is_test else "to_refund_orders"
            lists[kind if was_canceled else "not_valid_orders"].append(label.order_id)
        return success_response(lists)

    async def _label(self, request: Request) -> Response:
        label = await self.ledger.find_label(request.path_params["idOrder"])
        if label is None:
            return error_response(404, UNKNOWN_SHIPMENT)
        return Response(_to_pdf(label), media_type="application/pdf")

    async def _control_faults(self, request: Request) -> Response:
        """Handle GET (list the faults), DELETE (remove all), POST `{"fault", "operation"?, "times"?, "seconds"?}`."""
        if request.method == "DELETE":
            self.faults.clear()
        elif request.method == "POST":
            body = await _parse_json_object(request) or {}
            try:
                self.faults.plan(
                    Fault(body.get("fault", "")),
                    Operation(body["operation"]) if "operation" in body else ALL_OPERATIONS,
                    times=int(body["times"]) if "times" in body else None,
                    seconds=float(body.get("seconds", 0)),
                )
            except (TypeError, ValueError) as error:
                return error_response(400, str(error))
        return plain_json(self.faults.describe())

    async def _control_shipment(self, request: Request) -> Response:
        """Handle POST `{"status": "Entregado"}`: set the status of a shipment."""
        body = await _parse_json_object(request) or {}
        try:
            await self.ledger.move_shipment(request.path_params["idOrder"], Status(body.get("status", "")))
        except (KeyError, ValueError) as error:
            return error_response(400, str(error))
        return plain_json({"status": body["status"]})


def _to_pdf(label: SandboxLabel) -> bytes:
    kind = "GUÍA DE PRUEBA" if label.is_test else "GUÍA"
    return build_label_pdf([kind, label.carrier, label.tracker, f"Pedido {label.order_id}", label.reference])


async def _parse_json_object(request: Request) -> JsonObject | None:
    content = await request.body()
    try:
        body = json.loads(content) if content else {}
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


async def _refuse_unstorable(_request: Request, error: Exception) -> Response:
    return error_response(422, str(error))


async def _refuse_route(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return error_response(status, "Not found." if status == 404 else "Method not allowed.")
