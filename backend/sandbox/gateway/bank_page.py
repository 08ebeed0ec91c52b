"""The bank's page: where a shopper approves, rejects, cancels or leaves a test payment pending."""

from collections.abc import Callable

import httpx
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from backend.payment.providers.pse.reports import GatewayState
from backend.sandbox.gateway import bank_html
from backend.sandbox.gateway.ledger import Ledger
from backend.sandbox.models import SandboxTransaction

DECISIONS = {
    "approve": GatewayState.ACCEPTED,
    "reject": GatewayState.REJECTED,
    "cancel": GatewayState.CANCELED,
    "pending": GatewayState.PENDING,
}

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
}


class BankPage:
    """Shows a transaction by its unguessable address and takes the shopper's decision."""

    def __init__(
        self, ledger: Ledger, public_base: str, merchant: str, *, decided: Callable[[], None]
    ) -> None:
        self._ledger = ledger
        self._public_base = public_base
        self._merchant = merchant
        self._decided = decided

    def routes(self) -> list[Route]:
        """The page and its form."""
        return [
            Route("/bank/{token}", self.show, methods=["GET"]),
            Route("/bank/{token}", self.decide, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """The choice, or the news that it was made."""
        transaction = await self._ledger.by_bank_token(request.path_params["token"])
        if transaction is None:
            return HTMLResponse(bank_html.not_found(), 404, headers=_HEADERS)
        if transaction.state == GatewayState.PENDING:
            return HTMLResponse(bank_html.choice(transaction, self._merchant), headers=_HEADERS)
        return HTMLResponse(
            bank_html.finished(transaction, self._merchant, return_url(transaction)), headers=_HEADERS
        )

    async def decide(self, request: Request) -> Response:
        """Take the decision and send the shopper back. The notification sets out at the same time."""
        token = request.path_params["token"]
        async with request.form(max_files=0, max_fields=10) as form:
            wanted = DECISIONS.get(str(form.get("decision")))
        if wanted is None:
            return await self.show(request)
        transaction = await self._ledger.decide(token, wanted)
        if transaction is None:
            return HTMLResponse(bank_html.not_found(), 404, headers=_HEADERS)
        self._decided()
        if transaction.state != wanted:
            # it was final before: the page says so
            return RedirectResponse(f"{self._public_base}/bank/{token}", 303, headers=_HEADERS)
        return RedirectResponse(return_url(transaction), 303, headers=_HEADERS)


def return_url(transaction: SandboxTransaction) -> str:
    """Where the shopper goes back to: the merchant's address with the browser's reference."""
    url = httpx.URL(transaction.fields["url_respuesta"])
    return str(url.copy_merge_params({"ref_payco": transaction.browser_reference}))
