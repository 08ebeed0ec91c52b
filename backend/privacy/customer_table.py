"""A person's data as a table for people: labels, times and states in the shop's language.

Names that only programs and providers use, such as the keys of an order's metadata, are shown as they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from backend.attention.descriptions import PAYMENT_STATES
from backend.audit.labels import AUDITED_FIELD_LABELS
from backend.core.dates import TIME_ZONE
from backend.core.texts import _
from backend.invoices.states import KIND_NAMES as INVOICE_NAMES
from backend.invoices.states import STATE_NAMES as INVOICE_STATES
from backend.legal.consents import KIND_NAMES as CONSENT_NAMES
from backend.orders.state_labels import (
    FULFILLMENT_LABELS,
    LABEL_LABELS,
    ORDER_LABELS,
    PAYMENT_LABELS,
    STAGE_LABELS,
)
from backend.pqrs.models import KIND_NAMES as PQRS_NAMES
from backend.returns.models import KIND_NAMES as RETURN_NAMES
from backend.returns.states import STATE_NAMES as RETURN_STATES
from backend.reviews.models import STATE_NAMES as REVIEW_STATES

COLUMNS = (_("Qué"), _("Número"), _("Campo"), _("Valor"))
FIELD_LABELS: Mapping[str, str] = {
    **AUDITED_FIELD_LABELS,
    "about": _("Trata de"),
    "account_number": _("Número de cuenta"),
    "account_type": _("Tipo de cuenta"),
    "action": _("Acción"),
    "address_1": _("Dirección"),
    "address_2": _("Barrio e indicaciones"),
    "address_corrected_at": _("Dirección corregida"),
    "address_key": _("Clave del correo"),
    "address_name": _("Nombre de la dirección"),
    "adjustments": _("Descuentos"),
    "after": _("Después"),
    "amount_reason": _("Motivo del valor"),
    "annulled_at": _("Anulada"),
    "asked_by": _("Pedida por"),
    "authorized_at": _("Autorizado"),
    "bank": _("Banco"),
    "before": _("Antes"),
    "billing_address": _("Dirección de facturación"),
    "buyer": _("Clave del comprador"),
    "canceled_by": _("Cancelado por"),
    "captured_amount": _("Valor que llegó"),
    "captured_at": _("Aprobado"),
    "carrier": _("Transportadora"),
    "carrier_order_id": _("Número en la transportadora"),
    "cart_id": _("Carrito"),
    "changed_at": _("Cambiado"),
    "changes": _("Cambios"),
    "checked_at": _("Consultado"),
    "city": _("Ciudad"),
    "client_address": _("Clave de la red"),
    "client_device": _("Clave del aparato"),
    "client_email": _("Clave del correo"),
    "client_ip": _("Dirección de red"),
    "client_phone": _("Clave del teléfono"),
    "close_reason": _("Motivo del cierre"),
    "company": _("Empresa"),
    "completed_at": _("Terminado"),
    "confirmed_at": _("Confirmado"),
    "confirmed_by": _("Confirmado por"),
    "corrects_id": _("Factura que corrige"),
    "country_code": _("País"),
    "created_at": _("Creado"),
    "currency_code": _("Moneda"),
    "dane_code": _("Código del municipio"),
    "data": _("Datos del proveedor"),
    "digest": _("Huella del texto"),
    "doc_number": _("Número de documento"),
    "doc_type": _("Tipo de documento"),
    "document": _("Documento"),
    "draft": _("Formulario sin terminar"),
    "edit_id": _("Cambio del pedido"),
    "erased_at": _("Datos borrados"),
    "facts": _("Datos del producto"),
    "fulfillment_id": _("Paquete"),
    "given_at": _("Autorizado"),
    "guest_id": _("Cliente sin cuenta"),
    "holder": _("Titular"),
    "holds_stock": _("Aparta unidades"),
    "id": _("Número interno"),
    "invoice": _("Factura en la pasarela"),
    "is_counted": _("Se cuenta"),
    "is_default_billing": _("Preferida para facturar"),
    "is_default_shipping": _("Preferida para enviar"),
    "is_demo": _("De la demostración"),
    "is_saved": _("Guardado"),
    "issued_at": _("Emitida"),
    "item_total": _("Valor de los productos"),
    "items": _("Unidades"),
    "invoice_skipped_at": _("Pagado sin factura"),
    "joined_to": _("Enviado junto con"),
    "label_url": _("Dirección de la guía"),
    "line_id": _("Línea"),
    "locale": _("Idioma"),
    "media_type": _("Tipo de archivo"),
    "message": _("Mensaje"),
    "meta": _("Otros datos"),
    "method": _("Cómo pagó"),
    "closing_id": _("Cierre del día"),
    "origin": _("Dónde compró"),
    "staff_discount": _("Descuento del equipo"),
    "staff_discount_terms": _("Motivo del descuento"),
    "number": _("Número"),
    "order_number": _("Pedido"),
    "paid_at": _("Pagado"),
    "payable_until": _("Se puede pagar hasta"),
    "payer": _("Quien paga"),
    "payment_session_id": _("Pago"),
    "person_type": _("Tipo de persona"),
    "pictures": _("Fotos"),
    "postal_code": _("Código postal"),
    "prefix": _("Prefijo"),
    "product_handle": _("Página del producto"),
    "promised_day": _("Día prometido"),
    "promotion_id": _("Oferta"),
    "provider": _("Proveedor"),
    "provider_id": _("Proveedor"),
    "province": _("Departamento"),
    "purpose": _("Para qué"),
    "reason_id": _("Motivo"),
    "redirect_url": _("Página del banco"),
    "reference": _("Referencia"),
    "refund_id": _("Dinero devuelto"),
    "region_id": _("Región"),
    "replaces_cart_id": _("Reemplaza al carrito"),
    "resolved_by": _("Resuelto por"),
    "return_id": _("Devolución"),
    "exchange_id": _("Cambio"),
    "draft_order_id": _("Pedido nuevo"),
    "shipping_data": _("Datos del envío"),
    "shipping_name": _("Forma de entrega"),
    "shipping_option_id": _("Forma de entrega"),
    "shipping_tax_rate": _("IVA del envío"),
    "shipping_total": _("Valor del envío"),
    "stage": _("Etapa"),
    "step": _("Paso"),
    "subject": _("Cuenta"),
    "subject_id": _("Trata de"),
    "ticket_id": _("Tiquete"),
    "told_at": _("Avisado"),
    "requested_at": _("Enviado"),
    "token_chain": _("Clave de la sesión"),
    "total": _("Total"),
    "total_after": _("Total después"),
    "total_before": _("Total antes"),
    "tracked_at": _("Consultado"),
    "transaction_id": _("Transacción"),
    "unit_price": _("Precio"),
    "units": _("Unidades"),
    "updated_at": _("Cambiado"),
    "variant_title": _("Presentación"),
    "withdrawn_at": _("Retirado"),
    "written_at": _("Escrita"),
}
"""Labels of the fields, by column or key. They need not be unique: the table names the kind of each row."""
_LABELS_IN_TABLE: Mapping[tuple[str, str], str] = {
    ("consent", "source"): _("Dónde"),
    ("customer_address", "address"): _("Dirección"),
}
"""Labels that replace those of `FIELD_LABELS` in one table, by table and field: the field has another meaning there."""
_VALUE_LABELS: Mapping[tuple[str, str], Mapping[Any, str]] = {
    ("consent", "kind"): CONSENT_NAMES,
    ("fulfillment", "stage"): STAGE_LABELS,
    ("fulfillment", "state"): LABEL_LABELS,
    ("invoice", "kind"): INVOICE_NAMES,
    ("invoice", "state"): INVOICE_STATES,
    ("order", "fulfillment_status"): FULFILLMENT_LABELS,
    ("order", "payment_status"): PAYMENT_LABELS,
    ("order", "status"): ORDER_LABELS,
    ("order_return", "kind"): RETURN_NAMES,
    ("order_return", "state"): RETURN_STATES,
    ("payment_session", "state"): PAYMENT_STATES,
    ("pqrs", "kind"): PQRS_NAMES,
    ("review", "state"): REVIEW_STATES,
}
"""Labels of values, by table and column."""


def build_row_cells(name: str, row: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield the label and value of each non-empty field of a row, also of the fields inside its objects and lists.

    Args:
        name: the technical name of the row's table.
        row: the row by column, as the database returns it.
    """
    for column, value in row.items():
        label = _LABELS_IN_TABLE.get((name, column)) or FIELD_LABELS.get(column, column)
        values = _VALUE_LABELS.get((name, column), {})
        yield from _flatten(label, values.get(str(value), value))


def _flatten(path: str, value: Any) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _flatten(f"{path} · {FIELD_LABELS.get(str(name), str(name))}", part)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, part in enumerate(value, 1):
            yield from _flatten(f"{path} · {number}", part)
    elif value is not None and value != "":
        yield path, _format_value(value)


def _format_value(value: object) -> object:
    if isinstance(value, bool):
        return _("sí") if value else _("no")
    if isinstance(value, datetime):
        return value.astimezone(TIME_ZONE).strftime("%Y-%m-%d %H:%M:%S")
    return value
