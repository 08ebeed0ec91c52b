"""Round icons, one for each category and each age."""

from collections.abc import Callable

from art.brand.light import document, lean
from art.brand.mark import small_top
from art.colour import BRASS, CEDAR, CREAM, INK, PINK, PLUM, SKY, SUN, TEAL, TINTS, TOMATO, TOMATO_DARK, WHITE
from art.paint import fill, group, line
from art.shapes import arc, blob, box, circle, curve, ellipse, leaf, polar, poly, sector, star, twin


def icon(tint: str, *parts: str) -> str:
    """A drawing on a tinted disc."""
    return document(240, 240, fill(circle(120, 120, 118), TINTS[tint]), *parts)


def icon_blocks() -> str:
    return (
        lean(box(52, 118, 64, 64, r=9), TOMATO)
        + lean(box(122, 118, 64, 64, r=9), SKY)
        + lean(poly((84, 116), (154, 116), (119, 52), r=9), SUN)
    )


def icon_bear() -> str:
    ears = "".join(
        lean(
            circle(120 + d * 50, 78, 24),
            "#B07B4C",
            fill(circle(120 + d * 50, 80, 12), "#EBCBA0"),
            shade=(-5, -6),
        )
        for d in (-1, 1)
    )
    face = lean(
        ellipse(120, 124, 66, 60),
        "#B07B4C",
        fill(ellipse(120, 146, 30, 24), "#EBCBA0"),
        fill(ellipse(120, 136, 10, 7), INK),
        fill(circle(94, 114, 7), INK),
        fill(circle(146, 114, 7), INK),
        line(curve((108, 152), (120, 160), (132, 152)), INK, 5),
        fill(ellipse(78, 138, 10, 7), TOMATO, 0.5),
        fill(ellipse(162, 138, 10, 7), TOMATO, 0.5),
    )
    return ears + face


def icon_car() -> str:
    body = poly(
        (40, 152), (40, 118), (74, 112), (94, 78), (148, 78), (168, 112), (202, 120), (202, 152), r=12
    )
    return lean(
        body, SKY, fill(box(100, 88, 20, 26, r=5), "#DDEFF5"), fill(box(126, 88, 22, 26, r=5), "#DDEFF5")
    ) + "".join(fill(circle(x, 154, 24), INK) + fill(circle(x, 154, 13), SUN) for x in (82, 162))


def icon_puzzle() -> str:
    shape = box(64, 84, 100, 100, r=8) + circle(114, 78, 20) + circle(170, 134, 20)
    return lean(shape, TEAL, fill(circle(64, 134, 18), TINTS["lilac"])) + fill(
        circle(62, 134, 18), TINTS["lilac"]
    )


def icon_drum() -> str:
    shell = poly((62, 96), (178, 96), (166, 186), (74, 186), r=10)
    zigzag = line(poly(*((60 + n * 20, 112 if n % 2 else 172) for n in range(7)), closed=False), CREAM, 6)
    sticks = (
        line(poly((70, 46), (108, 90), closed=False), CEDAR, 9)
        + line(poly((176, 40), (140, 88), closed=False), CEDAR, 9)
        + fill(circle(70, 46, 10), SUN)
        + fill(circle(176, 40, 10), SUN)
    )
    return (
        lean(shell, TOMATO, zigzag, shade=(-12, 0))
        + lean(ellipse(120, 96, 60, 18), CREAM, shade=(-4, -4))
        + line(ellipse(120, 96, 60, 18), SUN, 8)
        + sticks
    )


def icon_paint() -> str:
    palette = blob(
        (52, 130), (76, 74), (140, 62), (190, 98), (186, 138), (150, 146), (148, 176), (110, 186), (66, 168)
    )
    dots = "".join(
        fill(circle(x, y, 13), c)
        for x, y, c in ((92, 98, TOMATO), (132, 88, SUN), (164, 108, TEAL), (84, 136, SKY), (104, 164, PLUM))
    )
    return (
        lean(palette, "#DFB27C", dots)
        + line(poly((196, 60), (140, 132), closed=False), CEDAR, 10)
        + fill(leaf((146, 126), (124, 156), 20), TOMATO)
    )


def icon_pot() -> str:
    body = box(62, 104, 116, 76, r=(6, 6, 24, 24))
    vapour = "".join(
        line(curve((x, 62), (x - 8, 50), (x + 8, 38), (x, 24)), WHITE, 8) for x in (100, 120, 140)
    )
    return (
        vapour
        + "".join(
            line(arc((120 + d * 60, 128), 14, -90 if d > 0 else 90, 90 if d > 0 else 270), TOMATO_DARK, 9)
            for d in (-1, 1)
        )
        + lean(body, TOMATO, fill(box(60, 118, 120, 9), CREAM))
        + lean(sector((120, 104), 64, 0, 180, 360).size(1, 0.4, (120, 104)), TOMATO, shade=(-6, -4))
        + fill(circle(120, 76, 9), SUN)
    )


def icon_kite() -> str:
    gores = "".join(
        fill(
            poly((124, 94), polar((124, 94), 58, -90 + 60 * n), polar((124, 94), 58, -30 + 60 * n)),
            (TOMATO, SUN, TEAL, SKY, PINK, "#EE7B30")[n],
        )
        for n in range(6)
    )
    return (
        line(curve((112, 146), (90, 170), (116, 190), (90, 212)), WHITE, 5)
        + fill(poly((80, 158), (110, 178), (110, 160), (80, 176)), TOMATO)
        + fill(poly((92, 186), (120, 204), (120, 188), (92, 204)), SUN)
        + group(gores, turn=16, about=(124, 94))
    )


def icon_top() -> str:
    return small_top(116, 212, 186, 6)


def icon_rattle() -> str:
    rings = "".join(
        lean(box(96, 128 + n * 18, 48, 15, r=7), c, shade=(-4, -3)) for n, c in enumerate((SUN, TEAL, SKY))
    )
    return group(
        line(poly((120, 120), (120, 200), closed=False), "#DFB27C", 14),
        lean(circle(120, 80, 46), TOMATO, fill(star(120, 80, 24, 11, 5, 3), SUN)),
        rings,
        fill(circle(120, 202, 13), "#DFB27C"),
        turn=22,
        about=(120, 120),
    )


def icon_train() -> str:
    return (
        lean(box(60, 70, 54, 84, r=8), TOMATO, fill(box(72, 84, 30, 28, r=6), "#DDEFF5"))
        + lean(box(108, 104, 78, 50, r=(4, 24, 24, 4)), SUN)
        + lean(box(150, 66, 22, 42, r=4), TEAL, shade=(-6, 0))
        + lean(box(52, 60, 70, 18, r=8), TEAL, shade=(0, -5))
        + "".join(fill(circle(x, 162, 20), INK) + fill(circle(x, 162, 10), CREAM) for x in (84, 130, 172))
    )


def icon_yoyo() -> str:
    return (
        line(poly((120, 8), (120, 90), closed=False), WHITE, 6)
        + lean(circle(120, 134, 66), TOMATO)
        + fill(circle(120, 134, 46), "#EBC793")
        + lean(star(120, 134, 40, 18, 5, 4), SUN, shade=(-4, -5))
        + fill(circle(120, 134, 9), TEAL)
    )


def icon_scope() -> str:
    legs = (
        line(poly((116, 132), (84, 204), closed=False), CEDAR, 9)
        + line(poly((122, 132), (160, 204), closed=False), CEDAR, 9)
        + line(poly((120, 132), (122, 210), closed=False), CEDAR, 9)
    )
    tube = (
        lean(box(54, 100, 60, 32, r=8), "#4F93D6", shade=(0, -9))
        + lean(box(104, 92, 84, 48, r=9), SKY, fill(star(146, 112, 11, 5, 5), "#FBE7A8"), shade=(0, -13))
        + fill(box(180, 88, 15, 56, r=6), BRASS)
    )
    return (
        legs
        + group(tube, turn=-26, about=(120, 116))
        + fill(star(66, 62, 14, 6, 4), SUN)
        + fill(star(92, 40, 9, 4, 4), SUN)
    )


def icon_pawns() -> str:
    def man(x: float, base: float, colour: str) -> str:
        return lean(
            twin(
                (x, base - 84), (x + 14, base - 82), (x + 16, base - 46), (x + 34, base - 10), (x, base), x=x
            ),
            colour,
            shade=(-8, -2),
        ) + lean(circle(x, base - 96, 24), colour, shade=(-5, -6))

    cube = lean(
        box(104, 130, 66, 66, r=14),
        CREAM,
        *(
            fill(circle(x, y, 7), TOMATO)
            for x, y in ((122, 148), (152, 148), (137, 163), (122, 178), (152, 178))
        ),
        shade=(-7, -8),
    )
    return man(84, 184, TOMATO) + man(160, 176, TEAL) + cube


ICONS: dict[str, tuple[str, Callable[[], str]]] = {
    "category-juegos-tradicionales": ("butter", icon_top),
    "category-construccion": ("mint", icon_blocks),
    "category-munecas-y-peluches": ("rose", icon_bear),
    "category-vehiculos": ("peach", icon_car),
    "category-juegos-y-rompecabezas": ("lilac", icon_puzzle),
    "category-musica": ("sky", icon_drum),
    "category-ciencia-y-arte": ("butter", icon_paint),
    "category-juego-de-roles": ("mint", icon_pot),
    "category-aire-libre": ("sky", icon_kite),
    "age-0-2": ("rose", icon_rattle),
    "age-3-5": ("mint", icon_train),
    "age-6-8": ("sky", icon_yoyo),
    "age-9-12": ("lilac", icon_scope),
    "age-12+": ("peach", icon_pawns),
}
