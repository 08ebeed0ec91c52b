"""The spinning top and the name."""

from art.brand.light import document, in_whole_numbers, slab
from art.colour import CEDAR, CREAM, INK, SUN, TEAL, TOMATO, WHITE
from art.lettering import words
from art.materials import stripe
from art.paint import clip, fill, group, line
from art.shapes import Path, box, curve, poly, twin


def mark() -> str:
    """The spinning top, leaning as it turns, on a square of 96 units (drawn ten times larger, in whole numbers)."""
    body = twin(
        (480, 190), (550, 200), (600, 270), (800, 350), (850, 460), (740, 620), (540, 820), (480, 840), x=480
    )
    tip = poly((450, 800), (510, 800), (494, 920), (480, 940), (466, 920), r=10)
    crown = twin((480, 90), (540, 100), (560, 150), (530, 210), (480, 220), x=480)
    bands = "".join(
        stripe(60, 900, y, height, depth, colour)
        for y, height, depth, colour in (
            (430, 34, 80, CREAM),
            (464, 120, 80, SUN),
            (584, 34, 80, CREAM),
            (618, 260, 70, TEAL),
        )
    )
    shade = fill(
        Path(
            (
                *curve((690, 260), (760, 400), (690, 590), (450, 850)).parts,
                ("L", ((900, 850),)),
                ("L", ((900, 260),)),
                ("Z", ()),
            )
        ),
        "#3A1408",
        0.16,
    )
    light = line(curve((200, 450), (220, 380), (290, 330)), WHITE, 36, opacity=0.7)
    whole = group(
        fill(tip, INK),
        clip(body, slab(60, 90, 840, 800, 0, TOMATO), bands, shade),
        fill(crown, CEDAR),
        light,
        turn=11,
        about=(480, 920),
    )
    return f'<g transform="scale(.1)">{in_whole_numbers(whole)}</g>'


def wordmark(x: float, baseline: float, size: float, colour: str = INK) -> str:
    """The name, as outlines."""
    letters = fill(words("trompo", x * 10, baseline * 10, size * 10, 600, "start"), colour)
    return f'<g transform="scale(.1)">{in_whole_numbers(letters)}</g>'


def logo(colour: str = INK) -> str:
    """Mark and name side by side."""
    return document(386, 96, mark(), wordmark(106, 73, 82, colour), whole=False)


def badge(ground: str, inset: float, radius: float) -> str:
    """The mark on a square of paper; `inset` is the free margin on each side, in parts of the side."""
    scale = (1 - 2 * inset) * 512 / 96
    move = f"translate({512 * inset:.1f} {512 * inset:.1f}) scale({scale:.3f})"
    return document(
        512,
        512,
        fill(box(0, 0, 512, 512, r=radius), ground),
        f'<g transform="{move}">{mark()}</g>',
        whole=False,
    )


def small_top(x: float, y: float, size: float, turn: float) -> str:
    """The mark, its point on (x, y)."""
    k = size / 96
    return f'<g transform="translate({x:g} {y:g}) rotate({turn:g}) scale({k:.3f}) translate(-48 -92)">{mark()}</g>'
