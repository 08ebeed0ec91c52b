"""Upload of pictures and videos from a staff member's camera or gallery."""

from typing import Any

import reflex as rx

from backend.core.error_texts import SESSION_ENDED
from backend.core.texts import _
from backend.media.uploads import MAX_FILE_BYTES
from storefront.components.react_components import on_value
from storefront.reflex_ext.hooks import script

MAX_FILE_SIZE = f"{MAX_FILE_BYTES >> 20} MB"
TEXTS = {
    "choose": _("Tomar o elegir fotos"),
    "rules": _("JPEG, PNG, WebP o AVIF, hasta {most} cada una.").format(most=MAX_FILE_SIZE),
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
    "too_many_bytes": _("Pesa demasiado: hasta {most}.").format(most=MAX_FILE_SIZE),
    "busy": _("La tienda está ocupada. Inténtalo en un momento."),
    "offline": _("Se cortó la conexión."),
    "ended": SESSION_ENDED,
    "forbidden": _("Tu rol no permite hacer esto."),
    "failed": _("No subió. Inténtalo otra vez."),
}
IMAGES = "image/jpeg,image/png,image/webp,image/avif"
"""Accepted picture types. HEIC is missing, so that an iPhone sends its photos as JPEG."""
VIDEOS = "video/mp4,video/webm"
NO_VIDEO = _("No es un video MP4 ni WebM.")


def video_texts(most_bytes: int) -> dict[str, str]:
    """Return the texts of the video button for a size limit in bytes."""
    max_size = f"{most_bytes >> 20} MB"
    return {
        **TEXTS,
        "choose": _("Elegir un video"),
        "rules": _("MP4 o WebM, hasta {most}. Mejor corto, y que se entienda sin sonido.").format(
            most=max_size
        ),
        "sending": _("Subiendo el video…"),
        "one_done": _("El video se subió."),
        "one_failed": _("El video no subió."),
        "no_picture": NO_VIDEO,
        "no_video": NO_VIDEO,
        "heic": NO_VIDEO,
        "quicktime": _("Está en MOV (QuickTime). Expórtalo como MP4."),
        "codec": _("Muchos navegadores no lo muestran: está en HEVC u otro formato. Expórtalo en H.264."),
        "damaged": _("El video está dañado o incompleto."),
        "too_many_bytes": _("Pesa demasiado: hasta {most}. Hazlo más corto o más pequeño.").format(
            most=max_size
        ),
    }


class PictureUpload(rx.Component):
    """The upload button and the progress of its files."""

    library = script("office/upload")
    tag = "PictureUpload"
    texts: rx.Var[dict[str, str]]
    max_bytes: rx.Var[int]
    accept: rx.Var[str]
    is_one: rx.Var[bool]
    name: rx.Var[str]
    path: rx.Var[str]
    input_test_id: rx.Var[str]
    on_uploaded: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


def picture_upload(on_uploaded: Any) -> rx.Component:
    """Render a button that takes or selects pictures and uploads them, with the progress and the error of each.

    The event `on_uploaded` runs when all uploads have ended. It receives the list of the uploaded pictures' URLs. A
    failed picture stays displayed, so that the staff member can send it again or remove it.
    """
    return PictureUpload.create(
        texts=rx.Var.create(TEXTS),
        max_bytes=MAX_FILE_BYTES,
        accept=IMAGES,
        is_one=False,
        name="upload",
        on_uploaded=on_uploaded,
    )


def single_picture_upload(on_uploaded: Any) -> rx.Component:
    """Render a button that takes or selects one picture: see `picture_upload`."""
    return PictureUpload.create(
        texts=rx.Var.create({**TEXTS, "choose": _("Tomar o elegir una foto")}),
        max_bytes=MAX_FILE_BYTES,
        accept=IMAGES,
        is_one=True,
        name="upload",
        on_uploaded=on_uploaded,
    )


BRAND_TEXTS = {
    **TEXTS,
    "choose": _("Elegir una imagen"),
    "rules": _("PNG, JPEG, WebP o SVG. Mejor con fondo transparente."),
    "sending": _("Subiendo la imagen…"),
    "one_done": _("La imagen se subió."),
    "one_failed": _("La imagen no subió."),
    "no_picture": _("No es una imagen que podamos leer."),
    "damaged": _("La imagen está dañada o incompleta."),
    "too_large": _("Es demasiado grande o complicada: hasta 16 millones de píxeles, y un SVG hasta 1 MB."),
    "odd_shape": _("Es muy pequeña, o demasiado larga y angosta."),
    "unsafe": _("Este SVG trae más que formas: un programa, o enlaces a otros archivos. Expórtalo como PNG."),
    "svg_text": _("Este SVG tiene letras. Conviértelas en formas (trazados), o expórtalo como PNG."),
}


def brand_upload(name: str, path: str, most_bytes: int, on_uploaded: Any) -> rx.Component:
    """Render a button that uploads one picture of the brand to `path`. See `picture_upload` for `on_uploaded`."""
    return PictureUpload.create(
        texts=rx.Var.create(BRAND_TEXTS),
        max_bytes=most_bytes,
        accept=f"{IMAGES},image/svg+xml",
        is_one=True,
        name=f"brand-{name}-upload",
        path=path,
        input_test_id=f"brand-{name}",
        on_uploaded=on_uploaded,
    )


def video_upload(texts: Any, most_bytes: Any, on_uploaded: Any) -> rx.Component:
    """Render a button that uploads one video, with its progress.

    `texts` is the result of `video_texts(most_bytes)`. See `picture_upload` for `on_uploaded`.
    """
    return PictureUpload.create(
        texts=texts, max_bytes=most_bytes, accept=VIDEOS, is_one=True, name="video", on_uploaded=on_uploaded
    )
