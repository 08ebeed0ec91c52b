"""Guacharaca y trinche: a ribbed cane and its fork."""

from art.colour import CEDAR, PLUM, STEEL, SUN, TEAL, TOMATO
from art.gallery import picture
from art.materials import grain, note, swish
from art.paint import cast, fill, group, line, solid
from art.scenes import flat, halo
from art.shapes import Point, box, capsule, curve, ellipse, poly


def guacharaca(a: Point, long: float, width: float, turn: float) -> str:
    """A ribbed cane lying level from a, before turning."""
    x, y = a
    cane = box(x, y - width / 2, long, width, r=width * 0.44)
    ribs = "".join(
        line(curve((x + u, y - width * 0.36), (x + u + 9, y), (x + u, y + width * 0.36)), "#8A6A35", 8)
        + line(
            curve((x + u + 8, y - width * 0.34), (x + u + 17, y), (x + u + 8, y + width * 0.34)), "#F2DC9F", 4
        )
        for u in range(int(long * 0.17), int(long * 0.84), 26)
    )
    rings = "".join(
        fill(box(x + long * u, y - width, 24, width * 2), c)
        for u, c in ((0.07, TOMATO), (0.11, SUN), (0.885, SUN), (0.925, TOMATO))
    )
    mouth = fill(ellipse(x + long - width * 0.16, y, width * 0.16, width * 0.36), "#5B3F22")
    return group(
        solid(cane, "#D7B765", ribs, rings, shade=(-10, -width * 0.16), rim=6),
        mouth,
        turn=turn,
        about=(x + long / 2, y),
    )


def trinche(x: float, y: float, s: float, turn: float) -> str:
    """The fork that scrapes it; (x, y) is the root of the wires."""
    wires = "".join(
        line(
            curve((x + d * s * 0.05, y), (x + d * s * 0.12, y - s * 0.4), (x + d * s * 0.14, y - s * 0.9)),
            STEEL,
            s * 0.035,
        )
        for d in (-1.5, -0.5, 0.5, 1.5)
    )
    handle = poly(
        (x - s * 0.16, y - s * 0.06),
        (x + s * 0.16, y - s * 0.06),
        (x + s * 0.12, y + s * 0.4),
        (x + s * 0.17, y + s * 0.94),
        (x - s * 0.17, y + s * 0.94),
        (x - s * 0.12, y + s * 0.4),
        r=s * 0.08,
    )
    return group(
        wires,
        solid(
            handle,
            CEDAR,
            grain(handle.bounds(), CEDAR, 6, 3, upright=True),
            fill(box(x - s * 0.3, y + s * 0.02, s * 0.6, s * 0.08), TEAL),
            fill(box(x - s * 0.3, y + s * 0.78, s * 0.6, s * 0.06), SUN),
            shade=(-s * 0.07, 0),
            rim=4,
        ),
        turn=turn,
        about=(x, y),
    )


@picture("guacharaca-y-trinche-1")
def guacharaca_plain() -> str:
    return (
        flat("lilac")
        + cast(capsule((200, 660), (720, 250), 120), 18, 26, 14, 0.3)
        + guacharaca((70, 440), 800, 136, -38)
        + cast(capsule((640, 820), (760, 500), 50), 12, 18, 10, 0.28)
        + trinche(720, 640, 250, 18)
    )


@picture("guacharaca-y-trinche-2")
def guacharaca_playing() -> str:
    return (
        halo("mint", radius=400)
        + guacharaca((60, 600), 840, 150, 14)
        + trinche(640, 400, 270, 200)
        + swish((560, 580), 130, 180, 250, TOMATO, 11)
        + swish((560, 580), 168, 190, 240, SUN, 11)
        + note(190, 300, 34, TOMATO, True)
        + note(380, 220, 28, TEAL)
        + note(820, 800, 28, PLUM)
    )


@picture("guacharaca-y-trinche-3")
def guacharaca_detail() -> str:
    return flat("lilac") + guacharaca((-260, 520), 1700, 420, -16) + trinche(640, 560, 520, 208)
