"""Illustrations of 480 × 360 for moments of the shop, and the home page's long landscape."""

from collections.abc import Callable

from art.brand.light import BASE, document, dot, lean, slab
from art.brand.mark import small_top
from art.colour import CARD, CEDAR, CREAM, INK, PINK, PLUM, SKY, SUN, TEAL, TINTS, TOMATO, TOMATO_DARK, WHITE
from art.lettering import words
from art.paint import clip, fill, group, line
from art.shapes import Path, arc, blob, box, circle, curve, ellipse, ngon, polar, poly, twin


def ground(x: float, y: float, half: float) -> str:
    """A flat pool of shade."""
    return fill(ellipse(x, y, half, half * 0.11), BASE, 0.55)


def disc(colour: str) -> str:
    """The round ground behind a spot."""
    return fill(circle(240, 176, 158), colour)


def empty_cart() -> str:
    """A market basket with nothing in it; a top waits beside it."""
    basket = poly((120, 190), (340, 190), (312, 306), (148, 306), r=18)
    rows = "".join(
        line(poly((120, y), (342, y), closed=False), "#A8763F", 9, dash="20 12") for y in (214, 238, 262, 286)
    )
    handle = line(arc((230, 192), 92, 180, 360), "#A8763F", 16) + line(
        arc((230, 192), 92, 180, 360), "#C99555", 9
    )
    return (
        disc(TINTS["butter"])
        + ground(236, 310, 150)
        + handle
        + fill(ellipse(230, 192, 106, 13), "#8A5F33")
        + lean(basket, "#D4A566", rows, shade=(-12, -4))
        + line(poly((118, 192), (342, 192), closed=False), "#B98746", 14)
        + small_top(374, 314, 92, 8)
    )


def empty_search() -> str:
    """A magnifying glass over a block that asks."""
    cube = lean(box(92, 196, 108, 108, r=14), SUN, fill(words("?", 146, 284, 92, 700), CREAM)) + lean(
        box(282, 222, 82, 82, r=12), TEAL, fill(words("¿", 323, 276, 60, 700), CREAM)
    )
    glass = (
        line(circle(236, 140, 76), CEDAR, 20)
        + fill(circle(236, 140, 68), WHITE, 0.75)
        + line(arc((236, 140), 52, 190, 250), WHITE, 9)
        + line(poly((292, 196), (352, 258), closed=False), CEDAR, 28)
        + line(poly((300, 204), (316, 220), closed=False), SUN, 28, cap="butt")
    )
    eyes_ = (
        fill(circle(212, 136, 9), INK)
        + fill(circle(260, 136, 9), INK)
        + line(arc((236, 156), 14, 200, 340), INK, 6)
    )
    return disc(TINTS["sky"]) + ground(226, 308, 160) + cube + glass + eyes_


def not_found() -> str:
    """A kite that got away, its string cut."""
    gores = "".join(
        fill(
            poly((250, 130), polar((250, 130), 92, -90 + 60 * n), polar((250, 130), 92, -30 + 60 * n)),
            (TOMATO, SUN, TEAL, SKY, PINK, "#EE7B30")[n],
        )
        for n in range(6)
    )
    kite = group(
        gores + line(ngon(250, 130, 92, 6, 3), CREAM, 5) + fill(circle(250, 130, 9), CREAM),
        turn=16,
        about=(250, 130),
    )
    tail_path = curve((276, 216), (300, 256), (270, 286), (300, 320))
    bows = "".join(
        fill(poly((x - 15, y - 9), (x + 15, y + 9), (x + 15, y - 9), (x - 15, y + 9)), c)
        for (x, y), c in zip((p for p, _ in tail_path.sample(4)[1:]), (TOMATO, SUN, TEAL), strict=True)
    )
    string = line(curve((240, 140), (190, 210), (150, 232), (136, 262)), BASE, 4) + line(
        curve((128, 280), (124, 300), (112, 318)), BASE, 4, dash="6 9"
    )
    return (
        disc(TINTS["sky"])
        + cloudlet(120, 120, 40)
        + cloudlet(366, 214, 32)
        + string
        + line(tail_path, BASE, 4)
        + bows
        + kite
    )


def cloudlet(x: float, y: float, s: float) -> str:
    """A small cloud."""
    return fill(
        circle(x - s * 0.5, y, s * 0.4)
        + circle(x, y - s * 0.2, s * 0.55)
        + circle(x + s * 0.6, y, s * 0.42)
        + box(x - s * 0.9, y, s * 1.9, s * 0.42, r=s * 0.2),
        WHITE,
    )


def seal(x: float, y: float, colour: str, sign: str) -> str:
    """A round badge with a sign painted on it."""
    return fill(circle(x, y, 44), CARD) + fill(circle(x, y, 37), colour) + sign


def order_paid() -> str:
    """A wrapped parcel and a tick."""
    parcel = lean(
        box(120, 168, 220, 140, r=12),
        TOMATO,
        *(
            fill(circle(x, y, 7), SUN)
            for x, y in ((150, 206), (186, 256), (148, 286), (284, 206), (316, 250), (280, 284))
        ),
        fill(box(208, 160, 44, 150), SUN),
    )
    lid = lean(box(104, 142, 252, 46, r=10), TOMATO_DARK, fill(box(208, 140, 44, 60), SUN), shade=(-6, -8))
    bow = "".join(
        lean(
            blob((230, 140), (230 + d * 34, 84), (230 + d * 82, 84), (230 + d * 74, 132)), SUN, shade=(-4, -6)
        )
        for d in (-1, 1)
    ) + fill(ellipse(230, 136, 18, 15), "#D98F1F")
    tick = line(poly((354, 118), (368, 133), (394, 102), closed=False), WHITE, 12)
    return disc(TINTS["mint"]) + ground(230, 312, 150) + parcel + lid + bow + seal(374, 118, TEAL, tick)


def order_pending() -> str:
    """An hourglass, sand running."""
    glass = poly(
        (172, 92),
        (308, 92),
        (304, 136),
        (252, 188),
        (304, 240),
        (308, 284),
        (172, 284),
        (176, 240),
        (228, 188),
        (176, 136),
        r=(4, 4, 16, 10, 16, 4, 4, 16, 10, 16),
    )
    sand = clip(
        glass,
        fill(box(160, 130, 160, 60), SUN),
        fill(twin((240, 226), (270, 246), (312, 290), (240, 292), x=240), SUN),
        line(poly((240, 180), (240, 250), closed=False), SUN, 7),
    )
    ends = "".join(lean(box(148, y, 184, 28, r=12), CEDAR, shade=(0, -8)) for y in (70, 280)) + "".join(
        line(poly((x, 98), (x, 282), closed=False), "#DFB27C", 11) for x in (164, 316)
    )
    dots = "".join(fill(circle(342 + n * 21, 190, 7), c) for n, c in enumerate((TOMATO, SUN, TEAL)))
    return (
        disc(TINTS["butter"])
        + ground(240, 310, 120)
        + fill(glass, WHITE)
        + sand
        + line(curve((192, 104), (192, 126), (204, 142)), WHITE, 8, opacity=0.9)
        + line(glass, "#BFD3D6", 5)
        + ends
        + dots
    )


def order_rejected() -> str:
    """The top has fallen over; it can be spun again."""
    cord = line(curve((116, 250), (90, 280), (130, 304), (180, 296), (220, 308)), CREAM, 9) + line(
        curve((116, 250), (90, 280), (130, 304), (180, 296), (220, 308)), BASE, 2
    )
    cross = line(poly((116, 104), (140, 128), closed=False), WHITE, 12) + line(
        poly((140, 104), (116, 128), closed=False), WHITE, 12
    )
    again = line(arc((262, 188), 130, -70, 10), TEAL, 9, dash="2 18") + fill(
        poly((374, 218), (402, 200), (370, 190), r=3), TEAL
    )
    return (
        disc(TINTS["rose"])
        + ground(256, 306, 150)
        + cord
        + small_top(128, 236, 196, 94)
        + again
        + seal(128, 116, TOMATO, cross)
    )


def hero() -> str:
    """A long landscape of toys for the home page, 1600 × 640."""
    hills = fill(
        Path(
            (
                *curve(
                    (-20, 470), (260, 360), (520, 450), (820, 330), (1120, 450), (1380, 370), (1620, 450)
                ).parts,
                ("L", ((1620, 660),)),
                ("L", ((-20, 660),)),
                ("Z", ()),
            )
        ),
        "#CFE0C0",
    )
    floor = fill(
        Path(
            (
                *curve((-20, 540), (420, 506), (900, 540), (1620, 510)).parts,
                ("L", ((1620, 660),)),
                ("L", ((-20, 660),)),
                ("Z", ()),
            )
        ),
        "#F0DDB2",
    )
    rainbow = "".join(
        f'<circle cx="380" cy="548" r="{r}" fill="{c}"/>'
        for r, c in ((227, TOMATO), (191, SUN), (155, TEAL), (119, SKY), (83, PINK), (49, "#CFE0C0"))
    )
    rainbow = (
        f'<clipPath id="r"><path d="M100 300H660V548H100Z"/></clipPath><g clip-path="url(#r)">{rainbow}</g>'
    )
    load = (
        slab(790, 326, 70, 60, 18, "#D9B98A")
        + slab(866, 336, 84, 50, 8, PLUM)
        + slab(958, 322, 66, 64, 18, "#C9A773")
        + slab(1032, 346, 54, 40, 8, SUN)
    )
    bus = (
        load
        + slab(760, 400, 330, 130, 14, TOMATO)
        + slab(760, 512, 330, 18, 8, TOMATO_DARK)
        + "".join(slab(782 + n * 58, 412, 44, 48, 9, "#BFE0EA") for n in range(5))
        + slab(760, 468, 330, 12, 0, SUN)
        + "".join(dot(x, 496, 11, CREAM) for x in range(804, 1070, 58))
        + f'<path d="M1084 440h36q24 4 28 30v60h-64Z" fill="{TOMATO_DARK}"/>'
        + dot(1140, 492, 12, SUN)
        + slab(744, 380, 372, 28, 12, TEAL)
        + "".join(
            dot(x, 540, 44, "#45403E") + dot(x, 540, 29, SUN) + dot(x, 540, 10, TOMATO) for x in (840, 1066)
        )
    )
    blocks = (
        slab(1250, 474, 92, 92, 10, SKY)
        + slab(1350, 474, 92, 92, 10, SUN)
        + dot(1396, 520, 24, CREAM)
        + fill(poly((1300, 474), (1396, 474), (1348, 380), r=10), TOMATO)
    )
    gores = "".join(
        fill(
            poly((600, 170), polar((600, 170), 84, -90 + 60 * n), polar((600, 170), 84, -30 + 60 * n)),
            (TOMATO, SUN, TEAL, SKY, PINK, "#EE7B30")[n],
        )
        for n in range(6)
    )
    kite = line(curve((590, 180), (560, 320), (620, 420), (600, 520)), WHITE, 4) + group(
        gores, turn=14, about=(600, 170)
    )
    clouds = "".join(
        dot(x - s * 0.5, y, s * 0.4, WHITE)
        + dot(x, y - s * 0.2, s * 0.56, WHITE)
        + dot(x + s * 0.6, y, s * 0.42, WHITE)
        + slab(x - s * 0.9, y, s * 1.92, s * 0.42, s * 0.2, WHITE)
        for x, y, s in ((960, 120, 60),)
    )
    return document(
        1600,
        640,
        slab(0, 0, 1600, 640, 0, TINTS["sky"]),
        dot(1340, 150, 70, SUN),
        clouds,
        hills,
        floor,
        kite,
        rainbow,
        bus,
        blocks,
        small_top(1196, 604, 150, 4),
    )


SPOTS: dict[str, Callable[[], str]] = {
    "empty-cart": empty_cart,
    "empty-search": empty_search,
    "not-found": not_found,
    "order-paid": order_paid,
    "order-pending": order_pending,
    "order-rejected": order_rejected,
}
