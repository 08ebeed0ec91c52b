"""Pictures and videos from the camera or the gallery of whoever works in the office, for the screen that asks."""

from typing import Any

import reflex as rx

from backend.core.error_texts import SESSION_ENDED
from backend.core.texts import _
from backend.media.uploads import MOST_FILE_BYTES
from storefront.components.react_components import on_value
from storefront.reflex_ext.hooks import script

MOST = f"{MOST_FILE_BYTES >> 20} MB"
TEXTS = {
    "choose": _("Tomar o elegir fotos"),
    "rules": _("JPEG, PNG, WebP o AVIF, hasta {most} cada una.").format(most=MOST),
    "sending": _("Subiendo las fotos…"),
    "one_done": _("La foto se subió."),
    "done": _("{n} fotos se subieron."),
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
    "ended": SESSION_ENDED,
    "forbidden": _("Tu rol no permite hacer esto."),
    "failed": _("No subió. Inténtalo otra vez."),
}
IMAGES = "image/jpeg,image/png,image/webp,image/avif"
"""Without HEIC: an iPhone then sends its photographs as JPEG."""
VIDEOS = "video/mp4,video/webm"
NO_VIDEO = _("No es un video MP4 ni WebM.")


def video_texts(most_bytes: int) -> dict[str, str]:
    """What the button for a video says, which may have so many bytes."""
    most = f"{most_bytes >> 20} MB"
    return {
        **TEXTS,
        "choose": _("Elegir un video"),
        "rules": _("MP4 o WebM, hasta {most}. Mejor corto, y que se entienda sin sonido.").format(most=most),
        "sending": _("Subiendo el video…"),
        "one_done": _("El video se subió."),
        "one_failed": _("El video no subió."),
        "no_picture": NO_VIDEO,
        "no_video": NO_VIDEO,
        "heic": NO_VIDEO,
        "quicktime": _("Está en MOV (QuickTime). Expórtalo como MP4."),
        "codec": _("Muchos navegadores no lo muestran: está en HEVC u otro formato. Expórtalo en H.264."),
        "damaged": _("El video está dañado o incompleto."),
        "too_many_bytes": _("Pesa demasiado: hasta {most}. Hazlo más corto o más pequeño.").format(most=most),
    }


class PictureUpload(rx.Component):
    """The button, and what is on its way."""

    library = script("office/upload")
    tag = "PictureUpload"
    texts: rx.Var[dict[str, str]]
    most_bytes: rx.Var[int]
    accept: rx.Var[str]
    is_one: rx.Var[bool]
    name: rx.Var[str]
    on_uploaded: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


def picture_upload(on_uploaded: Any) -> rx.Component:
    """A button that takes pictures or chooses them, and sends them one by one, with progress and problems beside each.

    `on_uploaded` is an event of the screen; it gets the addresses of those that arrived, as a product's pictures name
    them, once nothing more is on its way. What fails stays, to be sent again or left out.
    """
    return PictureUpload.create(
        texts=rx.Var.create(TEXTS),
        most_bytes=MOST_FILE_BYTES,
        accept=IMAGES,
        is_one=False,
        name="upload",
        on_uploaded=on_uploaded,
    )


def video_upload(texts: Any, most_bytes: Any, on_uploaded: Any) -> rx.Component:
    """The same for one video: `texts` are `video_texts` for `most_bytes`."""
    return PictureUpload.create(
        texts=texts, most_bytes=most_bytes, accept=VIDEOS, is_one=True, name="video", on_uploaded=on_uploaded
    )
