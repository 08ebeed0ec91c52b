"""Texts of the order's page for each state (wire: checkout, pending text and double payment)."""

from backend.core.texts import _

TITLES = {
    "pending": _("Tu pago está pendiente"),
    "held": _("Tu pago está en revisión"),
    "paid": _("¡Gracias! Tu pago fue aprobado"),
    "rejected": _("Tu pago fue rechazado"),
    "canceled": _("El pago se canceló"),
    "expired": _("El pago venció"),
    "closed": _("Dejamos de esperar este pago"),
    "review": _("Estamos revisando tu pago"),
    "authorized": _("Apartamos tu pedido"),
    "returning": _("Tu pedido está cancelado"),
    "refunded": _("Te devolvimos el dinero"),
}
EXPLANATIONS = {
    "pending": _(
        "Tu transacción está PENDIENTE de recibir confirmación por parte de tu entidad financiera. "
        "Por favor verificar si el débito fue realizado en el Banco. No pagues de nuevo: esta página se actualiza sola."
    ),
    "held": _(
        "Tu banco recibió el pago y está en verificación. Tus productos siguen apartados y no tienes que hacer nada: "
        "esta página se actualiza sola."
    ),
    "paid": _("Ya estamos alistando tu pedido."),
    "rejected": _(
        "Tu entidad financiera no aprobó el débito y no se hizo ningún cobro. "
        "Si quieres volver a intentarlo, tus productos regresan al carrito con un clic."
    ),
    "canceled": _(
        "No se hizo ningún cobro. Si quieres volver a intentarlo, tus productos regresan al carrito con un clic."
    ),
    "expired": _(
        "Se acabó el tiempo para autorizar el pago y no se hizo ningún cobro. "
        "Si quieres volver a intentarlo, tus productos regresan al carrito con un clic."
    ),
    "closed": _(
        "Tu banco no nos ha dicho en qué terminó, y le seguimos preguntando. Si lo aprueba de todos modos, ese pago "
        "vale para este pedido o te devolvemos el dinero. Si quieres pagar otra vez, tus productos regresan al carrito "
        "con un clic."
    ),
    "review": _(
        "Tu banco nos dice que lo aprobó. Alguien de la tienda lo está revisando y te escribe: o vale para este "
        "pedido o te devolvemos el dinero. No pagues de nuevo."
    ),
    "authorized": _(
        "Todavía no recibimos tu pago. Escríbenos o llámanos para acordarlo, y empezamos a prepararlos."
    ),
    "returning": _("No te entregamos nada. Más abajo ves cuándo vuelve tu dinero."),
    "refunded": _("Hicimos la devolución. Según tu banco, puede tardar unos días en verse en tu cuenta."),
}
PAYMENT_STATES = {
    "pending": _("Pendiente"),
    "unknown": _("Pendiente"),
    "approved": _("Aprobada"),
    "rejected": _("Rechazada"),
    "failed": _("Fallida"),
    "canceled": _("Cancelada"),
    "expired": _("Expirada"),
    "held": _("En verificación"),
    "closed": _("Sin confirmar"),
    "review": _("En revisión"),
    "authorized": _("Por recibir"),
}
DRAWINGS = {
    "paid": "/brand/order-paid.svg",
    "pending": "/brand/order-pending.svg",
    "held": "/brand/order-pending.svg",
    "rejected": "/brand/order-rejected.svg",
    "canceled": "/brand/order-rejected.svg",
    "expired": "/brand/order-rejected.svg",
    "closed": "/brand/order-pending.svg",
    "review": "/brand/order-pending.svg",
    "authorized": "/brand/order-pending.svg",
    "returning": "/brand/order-pending.svg",
    "refunded": "/brand/order-pending.svg",
}
ICONS = {
    "paid": "check",
    "pending": "clock",
    "held": "clock",
    "rejected": "warning",
    "canceled": "warning",
    "expired": "warning",
    "closed": "clock",
    "review": "clock",
    "authorized": "clock",
    "returning": "clock",
    "refunded": "clock",
}
"""Icons instead of the drawings, in a shop that is not the demo."""
JOURNEY_TITLES = {
    "shipped": _("Tu pedido va en camino"),
    "delivered": _("Tu pedido fue entregado"),
    "out": _("Salimos a llevarte tu pedido"),
    "to_collect": _("Tu pedido está listo para recoger"),
    "picked_up": _("Ya recogiste tu pedido"),
}
JOURNEY_WORDS = {
    "shipped": _("Tu pago fue aprobado y ya despachamos tus productos. Más abajo ves por dónde van."),
    "delivered": _("¡Que lo disfruten! Si algo no llegó bien, escríbenos y lo resolvemos."),
    "out": _("Lo llevamos nosotros mismos. Más abajo ves los días y las horas."),
    "to_collect": _("Más abajo ves dónde y a qué horas. Di tu número de pedido cuando llegues."),
    "picked_up": _("¡Que lo disfruten! Si algo no salió bien, escríbenos y lo resolvemos."),
}
COLLECT_ANYWHERE = _("Di tu número de pedido cuando llegues.")
"""Replaces the text of an order to collect if its pickup point has neither address nor hours."""
PART_TITLE = _("Recibimos una parte de tu pago")
"""Replaces the title of a paid order if a part of its total is missing."""
PART_WORDS = _("Tus productos siguen apartados.")
"""Replaces the text of such an order while it may not be packed."""
HELD_WORDS = _(
    "Estamos confirmando tu pago con el banco. Tus productos siguen apartados y no tienes que hacer nada."
)
"""Replaces the text of a fully paid order while it may not be packed."""
DISMISSED_MONEY = _(
    "Este pago no vale para tu pedido. Si tu banco te lo cobró y no ves el dinero de vuelta, escríbenos. "
    "Si quieres volver a intentarlo, tus productos regresan al carrito con un clic."
)
"""Replaces the text of a payment that did not pay, although its bank had approved money."""
FREE_TITLE = _("¡Gracias! Tu pedido está confirmado")
FREE_WORDS = _("No tienes nada que pagar. Ya estamos alistando tus productos.")
FREE_SHIPPED = _("Ya despachamos tus productos. Más abajo ves por dónde van.")
"""Replaces the texts of a paid order if its total is 0."""
FREE_CANCELED = _("Tu pedido está cancelado. No se hizo ningún cobro.")
PAY_AS_AGREED = _(
    "Todavía no recibimos tu pago. Más abajo ves cómo hacerlo; apenas llegue, empezamos a prepararlos."
)
"""Replaces the text of an unpaid order whose payment method has instructions."""
SENT_UNPAID = _(
    "Ya despachamos tus productos: más abajo ves por dónde van. Todavía no recibimos tu pago: escríbenos o llámanos "
    "para acordarlo."
)
"""Replaces the shipping text if staff sent an order before it was paid."""
UNPAID_HERE = _("Todavía no recibimos tu pago: escríbenos o llámanos para acordarlo.")
"""Replaces the text of an unpaid order that the shop is bringing itself, or that waits to be collected."""
STAGES = {
    "preparing": _("Preparando el envío"),
    "ready": _("Empacado, esperando que lo recojan"),
    "shipped": _("En camino"),
    "collected": _("Recogido por la transportadora"),
    "in_transit": _("En camino"),
    "out_for_delivery": _("En reparto: llega pronto"),
    "incident": _("Novedad con el envío"),
    "delivered": _("Entregado"),
    "returned": _("Devuelto a nuestra bodega"),
    "canceled": _("Guía anulada"),
    "packing": _("Preparando tu pedido"),
    "packed": _("Empacado: pronto sale a tu casa"),
    "to_collect": _("Listo para recoger"),
    "picked_up": _("Recogido"),
    "unpacked": _("Lo estamos empacando otra vez"),
}
"""The stage of a fulfillment as text for customers: `FulfillmentView.stage`."""
RETRY = _("Intentar de nuevo con el mismo carrito")
RESTORING_CART = _("Preparando tu carrito…")
