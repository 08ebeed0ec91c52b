"""How the bank's page looks: a neutral test bank, phone first, complete in itself."""

from datetime import datetime
from decimal import Decimal
from html import escape

from backend.money import format_cop
from backend.payment.providers.pse.reports import GatewayState
from backend.sandbox.gateway.answers import BANKS, BOGOTA
from backend.sandbox.models import SandboxTransaction

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


def choice(transaction: SandboxTransaction, merchant: str) -> str:
    """The page that asks for the decision."""
    left_pending = transaction.decided_at is not None
    title = "Este pago está pendiente" if left_pending else "Autoriza tu pago"
    return _page(
        title,
        f"""
  <section class="card" aria-labelledby="title">
    <h1 id="title">{title}</h1>
    {_facts(transaction, merchant)}
    <form method="post">
      <button class="go" name="decision" value="approve" data-testid="bank-approve">Aprobar</button>
      <button class="no" name="decision" value="reject" data-testid="bank-reject">Rechazar</button>
      <button name="decision" value="cancel" data-testid="bank-cancel">Cancelar</button>
      <button name="decision" value="pending" data-testid="bank-pending">Dejar pendiente</button>
    </form>
  </section>""",
    )


def finished(transaction: SandboxTransaction, merchant: str, return_url: str) -> str:
    """The page of a transaction that is decided."""
    state = GatewayState(transaction.state)
    title = "Esta transacción ya terminó"
    return _page(
        title,
        f"""
  <section class="card" aria-labelledby="title">
    <h1 id="title">{title}</h1>
    <p data-testid="bank-final">{escape(_OUTCOMES.get(state, ""))} Estado: <strong>{state.text}</strong>.</p>
    {_facts(transaction, merchant)}
    <a class="button" href="{escape(return_url)}" data-testid="bank-return">Volver al comercio</a>
  </section>""",
    )


def not_found() -> str:
    """The page of an address that leads nowhere."""
    title = "No encontramos esta transacción"
    return _page(
        title,
        f"""
  <section class="card" aria-labelledby="title">
    <h1 id="title">{title}</h1>
    <p>Vuelve al comercio e inicia el pago de nuevo.</p>
  </section>""",
    )


def _facts(transaction: SandboxTransaction, merchant: str) -> str:
    fields = transaction.fields
    rows = {
        "Comercio": merchant,
        "Descripción": fields["descripcion"],
        "Banco elegido": BANKS[fields["banco"]],
        "Referencia": fields["factura"],
        "CUS": transaction.transaction_id,
        "Fecha": _date(transaction.created_at),
    }
    facts = "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in rows.items())
    amount = escape(format_cop(int(Decimal(fields["valor"]))))
    return f'<p class="amount">{amount}</p>\n    <dl>{facts}</dl>'


def _date(moment: datetime) -> str:
    return moment.astimezone(BOGOTA).strftime("%d/%m/%Y %H:%M")


def _page(title: str, content: str) -> str:
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
