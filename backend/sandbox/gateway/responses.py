"""The gateway's responses and notifications in its wire format (wire: gateway 1.3, 1.6, 1.7, 1.8)."""

import hashlib
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from backend.migrations.sandbox_tables import SandboxTransaction
from backend.payment.providers.pse.reports import GatewayState, sign
from backend.payment.providers.pse.requests import GatewayCredentials

BOGOTA = ZoneInfo("America/Bogota")

BANKS: dict[str, str] = {
    "1077": "BANKA",
    "1022": "BANCO UNION COLOMBIANO",
    "1007": "BANCOLOMBIA",
    "1051": "BANCO DAVIVIENDA",
    "1001": "BANCO DE BOGOTA",
    "1013": "BBVA COLOMBIA S.A.",
    "1009": "CITIBANK",
    "1507": "NEQUI",
    "1551": "DAVIPLATA",
    "1062": "BANCO FALABELLA",
    "1012": "BANCO GNB SUDAMERIS",
    "1060": "BANCO PICHINCHA S.A.",
    "1002": "BANCO POPULAR",
    "1006": "ITAÚ",
    "1292": "CONFIAR COOPERATIVA FINANCIERA",
}

_REASONS = {
    GatewayState.ACCEPTED: "00-Aprobada",
    GatewayState.REJECTED: "01-Rechazada por la entidad financiera",
    GatewayState.PENDING: "Transacción pendiente por confirmación",
    GatewayState.ABANDONED: "10-Transacción abandonada por el cliente",
    GatewayState.CANCELED: "02-Transacción Cancelada por el cliente",
}


def bank_list_response() -> dict[str, Any]:
    """Return the bank list with the real gateway's peculiarities.

    The first entry is a placeholder with broken characters, and the bank codes are partly text, partly numbers.
    """
    placeholder = "A continuación seleccione su banco".encode().decode("latin-1")
    rows: list[dict[str, Any]] = [{"bankCode": "0", "bankName": placeholder}]
    for at, (code, name) in enumerate(BANKS.items()):
        rows.append({"bankCode": int(code) if at % 3 == 0 else code, "bankName": name})
    return {
        "success": True,
        "title_response": "Ok",
        "text_response": "Bancos consultados exitosamente",
        "last_action": "Query Bancos",
        "data": rows,
        "enpruebas": 1,
    }


def created_response(transaction: SandboxTransaction, bank_url: str) -> dict[str, Any]:
    """Return the response to a successful `bank.create`."""
    return {
        "success": True,
        "title_response": "SUCCESS",
        "text_response": "Transaccion Creada Exitosamente",
        "last_action": "get bank url",
        "data": {
            **_legacy_fields(transaction),
            "respuesta": "Redireccionando al banco",
            "cod_error": None,
            "urlbanco": bank_url,
            "extras": {},
            "extras_epayco": transaction.fields.get("extras_epayco", {}),
            "ciclo": "1",
        },
    }


def validation_error_response(invoice: str, errors: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the response to a `bank.create` request with wrong fields. `errors` are pairs of code and message."""
    return {
        "success": False,
        "title_response": "Error",
        "text_response": "; ".join(message for _, message in errors),
        "last_action": "validation transaction",
        "data": {
            "totalerrores": len(errors),
            "errores": [{"codError": code, "errorMessage": message} for code, message in errors],
            "idfactura": invoice,
        },
    }


def hard_error_response() -> dict[str, Any]:
    """Return the response to a `bank.create` request whose body cannot be decrypted."""
    return {
        "success": False,
        "title_response": "Error",
        "text_response": "No se pudo crear la transacción, por favor intente más tarde",
        "last_action": "Ingresar pago debito Pse",
    }


def bank_refusal_response(code: str) -> dict[str, Any]:
    """Return the response to a `bank.create` request that the bank network refused with `code`."""
    return {
        "success": False,
        "title_response": code,
        "text_response": "No se pudo crear la transacción, por favor intente más tarde",
        "last_action": "create transaction pse",
        "data": {
            "estado": "Fallida",
            "cod_error": "04",
            "respuesta": f"({code}) La transacción fue rechazada por PSE",
        },
    }


def lookup_error_response() -> dict[str, Any]:
    """Return the response, with HTTP 200, of a lookup without a result."""
    return {
        "status": False,
        "data": {"status": "error", "description": "Error de datos o conexión verifique de nuevo."},
    }


def ticket_response(transaction: SandboxTransaction) -> dict[str, Any]:
    """Return the response of `pse/transactioninfomation.json`: see `_legacy_fields`.

    The currency is missing, and the ticket id is a number.
    """
    data = {**_legacy_fields(transaction), "ticketId": int(transaction.ticket_id)}
    del data["moneda"]
    return {
        "success": True,
        "title_response": "SUCCESS",
        "text_response": "Transaccion consultada exitosamente",
        "last_action": "Query transaction",
        "data": data,
        "enpruebas": 1 if _is_test(transaction) else 2,
    }


def reference_response(transaction: SandboxTransaction, keys: GatewayCredentials) -> dict[str, Any]:
    """Return the response of `transaction/response.json`: the fields of a notification about the current state."""
    return {
        "success": True,
        "title_response": "SUCCESS",
        "text_response": "Transaccion consultada",
        "last_action": "Query transaction",
        "data": notification_fields(transaction, transaction.state, keys),
    }


def public_response(transaction: SandboxTransaction, keys: GatewayCredentials) -> dict[str, Any]:
    """Return the response of the public lookup.

    It has the fields and the signature of a notification. But codes and amounts are numbers, and the payer's data
    are masked.
    """
    data: dict[str, Any] = notification_fields(transaction, transaction.state, keys)
    for name in ("x_ref_payco", "x_cod_response", "x_cod_transaction_state"):
        data[name] = int(data[name])
    data["x_amount"] = data["x_amount_ok"] = float(data["x_amount"])
    for name in ("x_customer_document", "x_customer_name", "x_customer_lastname", "x_customer_email"):
        data[name] = f"{data[name][:2]}****"
    return {
        "success": True,
        "title_response": "Transacción consultada",
        "last_action": "Consultar",
        "data": data,
    }


def details_response(transactions: list[SandboxTransaction]) -> dict[str, Any]:
    """Return the response of Apify, the gateway's newer service, to a search of transactions by invoice."""
    rows = [
        {
            "referencePayco": transaction.ref_payco,
            "referenceClient": transaction.invoice,
            "amount": transaction.fields["valor"],
            "status": GatewayState(transaction.state).text,
        }
        for transaction in transactions
    ]
    return {
        "success": True,
        "titleResponse": "OK",
        "textResponse": "Transacciones consultadas",
        "lastAction": "query",
        "data": rows,
    }


def notification_fields(
    transaction: SandboxTransaction, code: int, keys: GatewayCredentials, *, forged: bool = False
) -> dict[str, str]:
    """Return the fields of a notification that reports this state of the transaction.

    With `forged`, its signature is wrong.
    """
    state, fields = GatewayState(code), transaction.fields
    reference, amount = str(transaction.ref_payco), fields["valor"]
    signature = sign(
        keys.cust_id,
        keys.p_key.get_secret_value(),
        reference=reference,
        transaction_id=transaction.ticket_id,
        amount=amount,
        currency=fields["moneda"],
    )
    if forged:
        signature = hashlib.sha256(signature.encode()).hexdigest()
    reason = _REASONS.get(state, state.text)
    moment = _format_moment(transaction.decided_at or transaction.created_at)
    fixed = {
        "ref_payco": reference,
        "x_cust_id_cliente": keys.cust_id,
        "x_ref_payco": reference,
        "x_id_factura": transaction.invoice,
        "x_id_invoice": transaction.invoice,
        "x_description": fields["descripcion"],
        "x_amount": amount,
        "x_amount_country": amount,
        "x_amount_ok": amount,
        "x_tax": fields.get("iva", "0"),
        "x_tax_ico": fields.get("ico", "0"),
        "x_amount_base": fields.get("baseiva", "0"),
        "x_currency_code": fields["moneda"],
        "x_bank_name": BANKS[fields["banco"]],
        "x_cardnumber": "*******",
        "x_quotas": "",
        "x_respuesta": state.text,
        "x_response": state.text,
        "x_approval_code": transaction.transaction_id,
        "x_transaction_id": transaction.ticket_id,
        "x_fecha_transaccion": moment,
        "x_transaction_date": moment,
        "x_cod_respuesta": str(code),
        "x_cod_response": str(code),
        "x_response_reason_text": reason,
        "x_errorcode": "00" if state is GatewayState.ACCEPTED else "",
        "x_cod_transaction_state": str(code),
        "x_transaction_state": state.text,
        "x_franchise": "PSE",
        "x_business": "Comercio de pruebas",
        "x_customer_doctype": fields["tipo_doc"],
        "x_customer_document": fields["documento"],
        "x_customer_name": fields["nombres"],
        "x_customer_lastname": fields["apellidos"],
        "x_customer_email": fields["email"],
        "x_customer_phone": fields.get("telefono", ""),
        "x_customer_movil": fields["celular"],
        "x_customer_ind_pais": "57",
        "x_customer_country": fields.get("pais", "CO"),
        "x_customer_city": fields.get("ciudad", ""),
        "x_customer_address": fields.get("direccion", ""),
        "x_customer_ip": fields["ip"],
        "x_test_request": "TRUE" if _is_test(transaction) else "FALSE",
        "x_transaction_cycle": "1",
        "x_type_payment": "PSE",
    }
    extras = {f"x_extra{number}": fields.get(f"extra{number}", "") for number in range(1, 11)}
    return {**fixed, **extras, "x_signature": signature}


def _legacy_fields(transaction: SandboxTransaction) -> dict[str, Any]:
    """Return the transaction's data under the field names of RestPagos, the gateway's older service."""
    state, fields = GatewayState(transaction.state), transaction.fields
    return {
        "ref_payco": transaction.ref_payco,
        "factura": transaction.invoice,
        "descripcion": fields["descripcion"],
        "valor": fields["valor"],
        "iva": fields.get("iva", "0"),
        "ico": fields.get("ico", "0"),
        "baseiva": fields.get("baseiva", "0"),
        "moneda": fields["moneda"],
        "banco": BANKS[fields["banco"]],
        "estado": state.text,
        "respuesta": _REASONS.get(state, state.text),
        "cod_respuesta": transaction.state,
        "autorizacion": transaction.transaction_id,
        "ciudad": fields.get("ciudad", ""),
        "recibo": transaction.ticket_id,
        "fecha": _format_moment(transaction.decided_at or transaction.created_at),
        "transactionID": transaction.transaction_id,
        "ticketId": transaction.ticket_id,
    }


def _is_test(transaction: SandboxTransaction) -> bool:
    return bool(transaction.fields.get("enpruebas", "TRUE") == "TRUE")


def _format_moment(moment: datetime) -> str:
    return moment.astimezone(BOGOTA).strftime("%Y-%m-%d %H:%M:%S")
