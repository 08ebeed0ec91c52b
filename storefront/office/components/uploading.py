"""Pictures from the camera or the gallery of whoever works in the office, for the screen that asks for them."""

from typing import Any

import reflex as rx

from backend.catalog.uploads import MOST_FILE_BYTES
from backend.texts import _
from storefront.components.browser import on_value
from storefront.components.hooks import script

MOST = f"{MOST_FILE_BYTES >> 20} MB"
TEXTS = {
    "choose": _("Tomar o elegir fotos"),
    "rules": _("JPEG, PNG, WebP o AVIF, hasta {most} cada una.").format(most=MOST),
    "sending": _("Subiendo las fotos…"),
    "one_done": _("La foto está arriba."),
    "done": _("{n} fotos están arriba."),
    "one_failed": _("Una foto no subió."),
    "some_failed": _("{n} fotos no subieron."),
    "again": _("Reintentar"),
    "leave_out": _("Quitar"),
    "no_picture": _("No es una foto que podamos leer."),
    "heic": _("Está en HEIC. Guárdala como JPEG, o elige «Más compatible» en la cámara."),
    "damaged": _("La foto está dañada o incompleta."),
    "too_large": _("Tiene demasiados píxeles: hasta 50 millones."),
    "odd_shape": _("Es demasiado larga y angosta."),
    "too_many_bytes": _("Pesa demasiado: hasta {most}.").format(most=MOST),
    "busy": _("La tienda está ocupada. Inténtalo en un momento."),
    "offline": _("Se cortó la conexión."),
    "ended": _("Tu sesión terminó. Entra otra vez."),
    "forbidden": _("Tu rol no permite hacer esto."),
    "failed": _("No subió. Inténtalo otra vez."),
}


class PictureUpload(rx.Component):
    """The button, and what is on its way."""

    library = script("office/upload")
    tag = "PictureUpload"
    texts: rx.Var[dict[str, str]]
    most_bytes: rx.Var[int]
    on_uploaded: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


def picture_upload(on_uploaded: Any) -> rx.Component:
    """A button that takes pictures or chooses them, and sends them one by one, with progress and problems beside each.

    `on_uploaded` is an event of the screen; it gets the addresses of those that arrived, as a product's pictures name
    them, once nothing more is on its way. What fails stays, to be sent again or left out.
    """
    return PictureUpload.create(
        texts=rx.Var.create(TEXTS), most_bytes=MOST_FILE_BYTES, on_uploaded=on_uploaded
    )
