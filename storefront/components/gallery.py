"""A product's pictures: slides, thumbnails, a magnifier under the mouse and a large view (spec: view rules 4).

The final slide is the product's video. Nothing of the video is downloaded before it is played; until then the slide
displays the first picture.
"""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, NumberVar, ObjectVar

from backend.catalog.views import PictureView
from backend.core.texts import _
from backend.media.videos import VideoView
from storefront.components.icons import icon
from storefront.components.pictures import NO_PICTURE, css_url, drawing, picture
from storefront.components.react_components import SLIDES, Dialog, Slides
from storefront.reflex_ext.hooks import ABSENT, hook, props, script, view

SCRIPT = script("gallery")
LARGE_VIEW = "large-view"
ZOOM = "220%"
"""Size of the picture in the magnifier, in percent of its displayed size."""

THUMBNAIL_SIZES = "72px"
SIZES = "(min-width: 1280px) 600px, (min-width: 768px) 50vw, 100vw"
"""Displayed width of the gallery's picture, as `<img sizes>`."""


@dataclass(frozen=True, slots=True)
class GalleryPicture:
    """A picture, and the same picture as a CSS background for the magnifier."""

    picture: PictureView
    background: str


def gallery_pictures(pictures: list[PictureView]) -> list[GalleryPicture]:
    """Convert the pictures to `GalleryPicture`s."""
    return [GalleryPicture(shown, css_url(shown.url)) for shown in pictures]


@dataclass(frozen=True, slots=True)
class Magnifier:
    """Position and React props of the magnifier.

    Attributes:
        position: the magnified point of the picture as a CSS value; empty while the magnifier is closed.
        stage: React props of the element that the magnifier covers.
    """

    position: str
    stage: Any


@dataclass(frozen=True, slots=True)
class LargePictureZoom:
    """State and React props of the zoom of the large picture.

    Attributes:
        is_zoomed: True if the picture is zoomed in.
        pane: React props of the element around the picture.
        picture: React props of the picture's button.
    """

    is_zoomed: bool
    pane: Any
    picture: Any


CURRENT_SLIDE = SLIDES.current.to(int)
LARGE_ZOOM = view(SCRIPT, "useZoom", LargePictureZoom)


def gallery(
    pictures: ArrayVar[list[GalleryPicture]],
    video: ObjectVar[VideoView],
    badge: rx.Component,
    key: rx.Var[str],
    wanted: rx.Var[int],
) -> rx.Component:
    """Build the gallery of a product's pictures and video.

    Args:
        pictures: the pictures, possibly none.
        video: the video, or None.
        badge: an element on top of the pictures.
        key: when the key changes, the gallery starts again at the first picture.
        wanted: index of the picture of the chosen variant; -1 for none.
    """
    of_video: Any = rx.cond(video, 1, 0)
    count = pictures.length() + of_video
    return Slides.create(
        rx.el.div(
            gallery_stage(badge, pictures=pictures, video=video),
            rx.cond(count > 1, thumbnails(pictures=pictures, video=video)),
            rx.cond(pictures.length() > CURRENT_SLIDE, large_view(shown=pictures[CURRENT_SLIDE].picture)),
            class_name="gallery",
        ),
        count=count,
        interval_ms=0,
        wanted=wanted,
        key=key,
    )


@rx.memo
def gallery_stage(
    children: rx.Var[rx.Component], pictures: ArrayVar[list[GalleryPicture]], video: ObjectVar[VideoView]
) -> rx.Component:
    """Build the row of slides, which can be swiped, and the elements on top of it."""
    is_picture = pictures.length() > CURRENT_SLIDE
    magnifier = view(SCRIPT, "useMagnifier", Magnifier, CURRENT_SLIDE)

    def slide(shown: ObjectVar[GalleryPicture], place: NumberVar[int]) -> rx.Component:
        return rx.el.div(
            picture(
                shown.picture,
                SIZES,
                is_first=place == 0,
                data_testid=rx.cond(place == CURRENT_SLIDE, "gallery-image", ABSENT),
            ),
            class_name="gallery__slide",
            key=shown.picture.url,
        )

    zoom = rx.el.div(
        class_name="gallery__zoom",
        data_testid="zoom-panel",
        aria_hidden="true",
        custom_attrs={
            "style": {  # Reflex's own `style` would create a CSS class for every position
                "backgroundImage": pictures[CURRENT_SLIDE].background,
                "backgroundSize": ZOOM,
                "backgroundPosition": magnifier.position,
            }
        },
    )
    return rx.el.div(
        rx.el.div(
            rx.foreach(pictures, slide),
            rx.cond(video, video_slide(video=video, is_shown=~is_picture)),
            rx.cond(
                (pictures.length() == 0) & ~video,
                rx.el.div(
                    drawing(NO_PICTURE, 240),
                    rx.el.p(_("Sin foto todavía"), class_name="gallery__none"),
                    class_name="gallery__slide gallery__slide--none",
                ),
            ),
            class_name="gallery__track",
            role="group",
            aria_label=_("Fotos del producto"),
            custom_attrs={"tabIndex": 0},
            special_props=[SLIDES.track],
        ),
        rx.cond((magnifier.position != "") & is_picture, zoom),
        children,
        rx.cond(
            is_picture,
            rx.el.button(
                icon("zoom"),
                type="button",
                class_name="icon-button gallery__enlarge",
                aria_label=_("Ampliar la foto"),
                data_opens=LARGE_VIEW,
            ),
        ),
        class_name="gallery__stage",
        special_props=[magnifier.stage],
    )


@rx.memo
def video_slide(video: ObjectVar[VideoView], is_shown: rx.Var[bool]) -> rx.Component:
    """Build the video's slide, with the browser's own controls."""
    film = rx.el.video(
        rx.el.source(src=video.url, type=video.media_type),
        controls=True,
        preload="none",
        class_name="gallery__video",
        aria_label=_("Video del producto"),
        custom_attrs={"playsInline": True},
        special_props=[hook(SCRIPT, "useVideo", is_shown)],
        data_testid="gallery-video",
    )
    return rx.el.div(film, class_name="gallery__slide")


@rx.memo
def thumbnails(pictures: ArrayVar[list[GalleryPicture]], video: ObjectVar[VideoView]) -> rx.Component:
    """Build a button for each picture and for the video."""

    def thumbnail(shown: ObjectVar[GalleryPicture], place: NumberVar[int]) -> rx.Component:
        label = _("Ver la foto {n}: {what}").format(n=place + 1, what=shown.picture.alt)
        return rx.el.button(
            picture(shown.picture, THUMBNAIL_SIZES, alt=""),
            type="button",
            class_name="gallery__thumb",
            aria_label=label,
            key=shown.picture.url,
            special_props=[props(SLIDES.mark, place)],
        )

    to_video = rx.el.button(
        rx.cond(pictures.length() > 0, picture(pictures[0].picture, THUMBNAIL_SIZES, alt="")),
        icon("play", size=28),
        type="button",
        class_name="gallery__thumb gallery__thumb--video",
        aria_label=_("Ver el video"),
        special_props=[props(SLIDES.mark, pictures.length())],
    )
    return rx.el.div(rx.foreach(pictures, thumbnail), rx.cond(video, to_video), class_name="gallery__thumbs")


@rx.memo
def large_view(shown: rx.Var[PictureView]) -> rx.Component:
    """Build the dialog that displays a picture over the whole page."""
    return Dialog.create(
        large_picture(shown=shown),
        rx.el.button(
            icon("close"),
            type="button",
            class_name="icon-button large-view__close",
            aria_label=_("Cerrar la foto"),
            data_closes="",
        ),
        name=LARGE_VIEW,
        class_name="large-view",
        aria_label=_("Foto ampliada"),
    )


@rx.memo
def large_picture(shown: rx.Var[PictureView]) -> rx.Component:
    """Build the picture of the large view. A click zooms it in or out."""
    button = rx.el.button(
        picture(shown, rx.cond(LARGE_ZOOM.is_zoomed, "200vw", "100vw")),
        type="button",
        class_name="large-view__picture",
        aria_label=_("Acercar o alejar"),
        special_props=[LARGE_ZOOM.picture],
        custom_attrs={"aria-pressed": LARGE_ZOOM.is_zoomed},
    )
    return rx.el.div(
        button,
        class_name="large-view__pane",
        data_near=rx.cond(LARGE_ZOOM.is_zoomed, "true", ABSENT),
        data_testid="zoom-dialog",
        special_props=[LARGE_ZOOM.pane],
    )
