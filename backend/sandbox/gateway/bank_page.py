"""The bank's page, on which a customer approves, rejects or cancels a test payment, or leaves it pending."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from html import escape

import httpx
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from backend.core.money import format_cop
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.payment.providers.pse.reports import GatewayState
from backend.sandbox.gateway.ledger import Ledger
from backend.sandbox.gateway.responses import BANKS, BOGOTA

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
    """The bank's page, on which the customer decides about a transaction. Its address contains a random token."""

    def __init__(
        self, ledger: Ledger, public_base: str, merchant: str, *, on_decision: Callable[[], None]
    ) -> None:
        self._ledger = ledger
        self._public_base = public_base
        self._merchant = merchant
        self._on_decision = on_decision

    def routes(self) -> list[Route]:
        """Return the routes of the page and its form."""
        return [
            Route("/bank/{token}", self.show, methods=["GET"]),
            Route("/bank/{token}", self.decide, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """Show the form, or the outcome of a completed transaction."""
        transaction = await self._ledger.find_by_bank_token(request.path_params["token"])
        if transaction is None:
            return HTMLResponse(_not_found_page(), 404, headers=_HEADERS)
        if transaction.state == GatewayState.PENDING:
            return HTMLResponse(_choice_page(transaction, self._merchant), headers=_HEADERS)
        return HTMLResponse(
            _finished_page(transaction, self._merchant, return_url(transaction)), headers=_HEADERS
        )

    async def decide(self, request: Request) -> Response:
        """Apply the customer's decision, let the gateway notify the shop, and redirect the customer to the shop.

        If the transaction was decided differently before, redirect to the bank's page, which shows the outcome.
        """
        token = request.path_params["token"]
        async with request.form(max_files=0, max_fields=10) as form:
            state = DECISIONS.get(str(form.get("decision")))
        if state is None:
            return await self.show(request)
        transaction = await self._ledger.decide(token, state)
        if transaction is None:
            return HTMLResponse(_not_found_page(), 404, headers=_HEADERS)
        self._on_decision()
        if transaction.state != state:
            # the transaction was final before: the page shows it
            return RedirectResponse(f"{self._public_base}/bank/{token}", 303, headers=_HEADERS)
        return RedirectResponse(return_url(transaction), 303, headers=_HEADERS)


def return_url(transaction: SandboxTransaction) -> str:
    """Return the shop's address to which the bank sends the customer back, with `browser_reference` in its query."""
    url = httpx.URL(transaction.fields["url_respuesta"])
    return str(url.copy_merge_params({"ref_payco": transaction.browser_reference}))


_STYLE = """
:root { color-scheme: light; --ink: #1d2733; --soft: #55616f; --line: #d9dfe6; --paper: #f3f5f8; --blue: #1f5fa8;
  --green: #1b7346; --red: #a8321f; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header { background: var(--ink); color: #fff; padding: 14px 16px; font-weight: 700; }
header span { display: inline-block; margin-left: 8px; padding: 1px 8px; border: 1px solid #fff; border-radius: 99px;
  font-size: 13px; font-weight: 400; }
main { max-width: 30rem; margin: 0 auto; padding: 16px; }
.notice { margin: 0 0 16px; padding: 10px 12px; border-left: 4px solid #d9a400; background: #fff8e1; }
.card { background: #fff; border: 1px solid var(--line); border-radius: 10px; padding: 16px; }
h1 { margin: 0 0 4px; font-size: 22px; line-height: 1.25; }
.amount { margin: 0 0 12px; font-size: 30px; font-weight: 700; font-variant-numeric: tabular-nums; }
dl { margin: 0 0 16px; border-top: 1px solid var(--line); }
dl div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 12px; padding: 8px 0;
  border-bottom: 1px solid var(--line); }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
form { display: grid; gap: 10px; }
button, .button { display: block; width: 100%; min-height: 48px; padding: 10px 16px; border: 2px solid var(--blue);
  border-radius: 8px; background: #fff; color: var(--blue); font: inherit; font-weight: 700; text-align: center;
  text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: #eaf1fa; }
.go { border-color: var(--green); background: var(--green); color: #fff; }
.go:hover { background: #155a37; }
.no { border-color: var(--red); color: var(--red); }
.no:hover { background: #fbeeeb; }
:focus-visible { outline: 3px solid #d9a400; outline-offset: 2px; }
@media (min-width: 30rem) { form { grid-template-columns: 1fr 1fr; } .go, button:last-child { grid-column: 1 / -1; } }
"""

_OUTCOMES = {
    GatewayState.ACCEPTED: "Aprobaste este pago.",
    GatewayState.REJECTED: "El banco rechazó este pago.",
    GatewayState.CANCELED: "Cancelaste este pago.",
    GatewayState.ABANDONED: "Se acabó el tiempo para autorizar este pago.",
}


def _choice_page(transaction: SandboxTransaction, merchant: str) -> str:
    """Return the HTML of the form on which the customer decides about a transaction."""
    left_pending = transaction.decided_at is not None
    title = "Este pago está pendiente" if left_pending else "Autoriza tu pago"
    return _page_html(
        title,
        f"""
  <section class="card" aria-labelledby="title">
    <h1 id="title">{title}</h1>
    {_summary(transaction, merchant)}
    <form method="post">
      <button class="go" name="decision" value="approve" data-testid="bank-approve">Aprobar</button>
      <button class="no" name="decision" value="reject" data-testid="bank-reject">Rechazar</button>
      <button name="decision" value="cancel" data-testid="bank-cancel">Cancelar</button>
      <button name="decision" value="pending" data-testid="bank-pending">Dejar pendiente</button>
    </form>
  </section>""",
    )


def _finished_page(transaction: SandboxTransaction, merchant: str, return_url: str) -> str:
    """Return the HTML about a completed transaction."""
    state = GatewayState(transaction.state)
    title = "Esta transacción ya terminó"
    return _page_html(
        title,
        f"""
  <section class="card" aria-labelledby="title">
    <h1 id="title">{title}</h1>
    <p data-testid="bank-final">{escape(_OUTCOMES.get(state, ""))} Estado: <strong>{state.text}</strong>.</p>
    {_summary(transaction, merchant)}
    <a class="button" href="{escape(return_url)}" data-testid="bank-return">Volver al comercio</a>
  </section>""",
    )


def _not_found_page() -> str:
    """Return the HTML about an unknown transaction."""
    title = "No encontramos esta transacción"
    return _page_html(
        title,
        f"""
  <section class="card" aria-labelledby="title">
    <h1 id="title">{title}</h1>
    <p>Vuelve al comercio e inicia el pago de nuevo.</p>
  </section>""",
    )


def _summary(transaction: SandboxTransaction, merchant: str) -> str:
    fields = transaction.fields
    rows = {
        "Comercio": merchant,
        "Descripción": fields["descripcion"],
        "Banco elegido": BANKS[fields["banco"]],
        "Referencia": fields["factura"],
        "CUS": transaction.transaction_id,
        "Fecha": _format_date(transaction.created_at),
    }
    facts = "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in rows.items())
    amount = escape(format_cop(int(Decimal(fields["valor"]))))
    return f'<p class="amount">{amount}</p>\n    <dl>{facts}</dl>'


def _format_date(moment: datetime) -> str:
    return moment.astimezone(BOGOTA).strftime("%d/%m/%Y %H:%M")


def _page_html(title: str, content: str) -> str:
    return f"""<!doctype html>
<html lang="es-CO">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="robots" content="noindex">
  <title>{title} · Banco de pruebas</title>
  <style>{_STYLE}</style>
</head>
<body>
<header>Banco de pruebas <span>PSE simulado</span></header>
<main>
  <p class="notice">Esta página es una simulación: no se mueve dinero real.</p>{content}
</main>
</body>
</html>
"""
