"""What the checkout's parts in the browser say."""

from backend.texts import _
from storefront.pages.checkout.fields import LABELS

FORM = {
    "labels": LABELS,
    "marked": _("Revisa estos datos para poder pagar:"),
    "opening": _("Abriendo tu banco…"),
    "pricing": _("Calculando el envío…"),
    "pay": _("Pagar {total} con PSE"),
    "pay_plain": _("Pagar con PSE"),
    "to_cart": _("Revisar mi carrito"),
}
TOWN = {
    "placeholder": _("Escribe y elige de la lista"),
    "list": _("Municipios"),
    "none": _("No encontramos ese municipio. Revisa cómo está escrito."),
    "count": _("municipios"),
}
SHIPPING = {
    "town_first": _("Elige tu municipio y aquí verás las formas de envío con su precio exacto."),
    "failed": _("No pudimos calcular el envío."),
    "again": _("Intentar de nuevo"),
    "nothing": _("Por ahora no tenemos envíos para este pedido. Escríbenos y lo resolvemos."),
    "pricing": _("Calculando el envío…"),
    "slow": _("La transportadora está tardando. Sigue con tus datos: el precio llega aquí."),
    "priced": _("El precio del envío está listo."),
}
