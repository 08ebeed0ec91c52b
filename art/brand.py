"""The shop's mark, its icons and its small illustrations.

    python -m art.brand     write assets/brand

These go out as SVG to every shopper, so they are drawn lighter than the toys: no blending, whole numbers, under 6 KB.
"""

from art.colour import BRASS, CARD, CEDAR, CREAM, INK, INK_SOFT, PAPER, PINK, PLUM, SKY, SUN, TEAL, TINTS, TOMATO, TOMATO_DARK, WHITE, darker
from art.lettering import words
from art.materials import stripe
from art.paint import clip, fill, group, line, name_for, number, shadow
from art.places import BRAND
from art.shapes import Path, Point, arc, blob, box, circle, curve, ellipse, leaf, ngon, polar, poly, sector, star, twin
from art.toys.vehicles import chiva

import io
import re
from collections.abc import Callable

import resvg_py
from PIL import Image

LIMIT = 6_000  # bytes of a spot illustration
BASE = "#CBB994"

# Drawing lightly ------------------------------------------------------------------------------------------------


def lean(shape: Path, colour: str, *details: str, shade: Point = (-14, -16)) -> str:
    """A body with a shade side, its outline written once."""
    name = name_for(shape.d, colour, "lean")
    return (
        f'<clipPath id="{name}"><path id="{name}p" d="{shape.d}"/></clipPath><g clip-path="url(#{name})">'
        f'<use href="#{name}p" fill="{darker(colour, 0.2)}"/>'
        f'<use href="#{name}p" fill="{colour}" transform="translate({number(shade[0])} {number(shade[1])})"/>'
        f"{''.join(details)}</g>"
    )


def document(width: float, height: float, *parts: str, whole: bool = True) -> str:
    """An SVG document; `whole` rounds every coordinate to a whole unit."""
    body = "".join(parts)
    body = in_whole_numbers(body) if whole else body
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">{body}</svg>\n'


def in_whole_numbers(markup: str) -> str:
    """Every path without decimals."""
    return re.sub(r'(?<= d=")[^"]+', lambda found: re.sub(r"-?\d+\.\d+", rounded, found[0]), markup)


def rounded(found: re.Match[str]) -> str:
    """A coordinate without its decimals."""
    return str(round(float(found[0])))


def dot(x: float, y: float, radius: float, colour: str) -> str:
    """A circle in few bytes."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{colour}"/>'


def slab(x: float, y: float, width: float, height: float, radius: float, colour: str) -> str:
    """A rectangle in few bytes."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{colour}"/>'


# The mark -------------------------------------------------------------------------------------------------------


def mark() -> str:
    """The spinning top, leaning as it turns, on a square of 96 units (drawn ten times larger, in whole numbers)."""
    body = twin((480, 190), (550, 200), (600, 270), (800, 350), (850, 460), (740, 620), (540, 820), (480, 840), x=480)
    tip = poly((450, 800), (510, 800), (494, 920), (480, 940), (466, 920), r=10)
    crown = twin((480, 90), (540, 100), (560, 150), (530, 210), (480, 220), x=480)
    bands = "".join(
        stripe(60, 900, y, height, depth, colour)
        for y, height, depth, colour in ((430, 34, 80, CREAM), (464, 120, 80, SUN), (584, 34, 80, CREAM), (618, 260, 70, TEAL))
    )
    shade = fill(Path((*curve((690, 260), (760, 400), (690, 590), (450, 850)).parts, ("L", ((900, 850),)), ("L", ((900, 260),)), ("Z", ()))), "#3A1408", 0.16)
    light = line(curve((200, 450), (220, 380), (290, 330)), WHITE, 36, opacity=0.7)
    whole = group(fill(tip, INK), clip(body, slab(60, 90, 840, 800, 0, TOMATO), bands, shade), fill(crown, CEDAR), light, turn=11, about=(480, 920))
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
    return document(512, 512, fill(box(0, 0, 512, 512, r=radius), ground), f'<g transform="{move}">{mark()}</g>', whole=False)


# Spot illustrations, 480 × 360 ----------------------------------------------------------------------------------


def ground(x: float, y: float, half: float) -> str:
    """A flat pool of shade."""
    return fill(ellipse(x, y, half, half * 0.11), BASE, 0.55)


def small_top(x: float, y: float, size: float, turn: float) -> str:
    """The mark, its point on (x, y)."""
    k = size / 96
    return f'<g transform="translate({x:g} {y:g}) rotate({turn:g}) scale({k:.3f}) translate(-48 -92)">{mark()}</g>'


def disc(colour: str) -> str:
    """The round ground behind a spot."""
    return fill(circle(240, 176, 158), colour)


def empty_cart() -> str:
    """A market basket with nothing in it; a top waits beside it."""
    basket = poly((120, 190), (340, 190), (312, 306), (148, 306), r=18)
    rows = "".join(line(poly((120, y), (342, y), closed=False), "#A8763F", 9, dash="20 12") for y in (214, 238, 262, 286))
    handle = line(arc((230, 192), 92, 180, 360), "#A8763F", 16) + line(arc((230, 192), 92, 180, 360), "#C99555", 9)
    return disc(TINTS["butter"]) + ground(236, 310, 150) + handle + fill(ellipse(230, 192, 106, 13), "#8A5F33") + lean(basket, "#D4A566", rows, shade=(-12, -4)) + line(poly((118, 192), (342, 192), closed=False), "#B98746", 14) + small_top(374, 314, 92, 8)


def empty_search() -> str:
    """A magnifying glass over a block that asks."""
    cube = lean(box(92, 196, 108, 108, r=14), SUN, fill(words("?", 146, 284, 92, 700), CREAM)) + lean(box(282, 222, 82, 82, r=12), TEAL, fill(words("¿", 323, 276, 60, 700), CREAM))
    glass = line(circle(236, 140, 76), CEDAR, 20) + fill(circle(236, 140, 68), WHITE, 0.75) + line(arc((236, 140), 52, 190, 250), WHITE, 9) + line(poly((292, 196), (352, 258), closed=False), CEDAR, 28) + line(poly((300, 204), (316, 220), closed=False), SUN, 28, cap="butt")
    eyes_ = fill(circle(212, 136, 9), INK) + fill(circle(260, 136, 9), INK) + line(arc((236, 156), 14, 200, 340), INK, 6)
    return disc(TINTS["sky"]) + ground(226, 308, 160) + cube + glass + eyes_


def not_found() -> str:
    """A kite that got away, its string cut."""
    gores = "".join(fill(poly((250, 130), polar((250, 130), 92, -90 + 60 * n), polar((250, 130), 92, -30 + 60 * n)), (TOMATO, SUN, TEAL, SKY, PINK, "#EE7B30")[n]) for n in range(6))
    kite = group(gores + line(ngon(250, 130, 92, 6, 3), CREAM, 5) + fill(circle(250, 130, 9), CREAM), turn=16, about=(250, 130))
    tail_path = curve((276, 216), (300, 256), (270, 286), (300, 320))
    bows = "".join(fill(poly((x - 15, y - 9), (x + 15, y + 9), (x + 15, y - 9), (x - 15, y + 9)), c) for (x, y), c in zip((p for p, _ in tail_path.sample(4)[1:]), (TOMATO, SUN, TEAL), strict=True))
    string = line(curve((240, 140), (190, 210), (150, 232), (136, 262)), BASE, 4) + line(curve((128, 280), (124, 300), (112, 318)), BASE, 4, dash="6 9")
    return disc(TINTS["sky"]) + cloudlet(120, 120, 40) + cloudlet(366, 214, 32) + string + line(tail_path, BASE, 4) + bows + kite


def cloudlet(x: float, y: float, s: float) -> str:
    """A small cloud."""
    return fill(circle(x - s * 0.5, y, s * 0.4) + circle(x, y - s * 0.2, s * 0.55) + circle(x + s * 0.6, y, s * 0.42) + box(x - s * 0.9, y, s * 1.9, s * 0.42, r=s * 0.2), WHITE)


def seal(x: float, y: float, colour: str, sign: str) -> str:
    """A round badge with a sign painted on it."""
    return fill(circle(x, y, 44), CARD) + fill(circle(x, y, 37), colour) + sign


def order_paid() -> str:
    """A wrapped parcel and a tick."""
    parcel = lean(box(120, 168, 220, 140, r=12), TOMATO, *(fill(circle(x, y, 7), SUN) for x, y in ((150, 206), (186, 256), (148, 286), (284, 206), (316, 250), (280, 284))), fill(box(208, 160, 44, 150), SUN))
    lid = lean(box(104, 142, 252, 46, r=10), TOMATO_DARK, fill(box(208, 140, 44, 60), SUN), shade=(-6, -8))
    bow = "".join(lean(blob((230, 140), (230 + d * 34, 84), (230 + d * 82, 84), (230 + d * 74, 132)), SUN, shade=(-4, -6)) for d in (-1, 1)) + fill(ellipse(230, 136, 18, 15), "#D98F1F")
    tick = line(poly((354, 118), (368, 133), (394, 102), closed=False), WHITE, 12)
    return disc(TINTS["mint"]) + ground(230, 312, 150) + parcel + lid + bow + seal(374, 118, TEAL, tick)


def order_pending() -> str:
    """An hourglass, sand running."""
    glass = poly((172, 92), (308, 92), (304, 136), (252, 188), (304, 240), (308, 284), (172, 284), (176, 240), (228, 188), (176, 136), r=(4, 4, 16, 10, 16, 4, 4, 16, 10, 16))
    sand = clip(glass, fill(box(160, 130, 160, 60), SUN), fill(twin((240, 226), (270, 246), (312, 290), (240, 292), x=240), SUN), line(poly((240, 180), (240, 250), closed=False), SUN, 7))
    ends = "".join(lean(box(148, y, 184, 28, r=12), CEDAR, shade=(0, -8)) for y in (70, 280)) + "".join(line(poly((x, 98), (x, 282), closed=False), "#DFB27C", 11) for x in (164, 316))
    dots = "".join(fill(circle(342 + n * 21, 190, 7), c) for n, c in enumerate((TOMATO, SUN, TEAL)))
    return disc(TINTS["butter"]) + ground(240, 310, 120) + fill(glass, WHITE) + sand + line(curve((192, 104), (192, 126), (204, 142)), WHITE, 8, opacity=0.9) + line(glass, "#BFD3D6", 5) + ends + dots


def order_rejected() -> str:
    """The top has fallen over; it can be spun again."""
    cord = line(curve((116, 250), (90, 280), (130, 304), (180, 296), (220, 308)), CREAM, 9) + line(curve((116, 250), (90, 280), (130, 304), (180, 296), (220, 308)), BASE, 2)
    cross = line(poly((116, 104), (140, 128), closed=False), WHITE, 12) + line(poly((140, 104), (116, 128), closed=False), WHITE, 12)
    again = line(arc((262, 188), 130, -70, 10), TEAL, 9, dash="2 18") + fill(poly((374, 218), (402, 200), (370, 190), r=3), TEAL)
    return disc(TINTS["rose"]) + ground(256, 306, 150) + cord + small_top(128, 236, 196, 94) + again + seal(128, 116, TOMATO, cross)


def hero() -> str:
    """A long landscape of toys for the home page, 1600 × 640."""
    hills = fill(Path((*curve((-20, 470), (260, 360), (520, 450), (820, 330), (1120, 450), (1380, 370), (1620, 450)).parts, ("L", ((1620, 660),)), ("L", ((-20, 660),)), ("Z", ()))), "#CFE0C0")
    floor = fill(Path((*curve((-20, 540), (420, 506), (900, 540), (1620, 510)).parts, ("L", ((1620, 660),)), ("L", ((-20, 660),)), ("Z", ()))), "#F0DDB2")
    rainbow = "".join(f'<circle cx="380" cy="548" r="{r}" fill="{c}"/>' for r, c in ((227, TOMATO), (191, SUN), (155, TEAL), (119, SKY), (83, PINK), (49, "#CFE0C0")))
    rainbow = f'<clipPath id="r"><path d="M100 300H660V548H100Z"/></clipPath><g clip-path="url(#r)">{rainbow}</g>'
    load = slab(790, 326, 70, 60, 18, "#D9B98A") + slab(866, 336, 84, 50, 8, PLUM) + slab(958, 322, 66, 64, 18, "#C9A773") + slab(1032, 346, 54, 40, 8, SUN)
    bus = (
        load + slab(760, 400, 330, 130, 14, TOMATO) + slab(760, 512, 330, 18, 8, TOMATO_DARK) + "".join(slab(782 + n * 58, 412, 44, 48, 9, "#BFE0EA") for n in range(5)) + slab(760, 468, 330, 12, 0, SUN)
        + "".join(dot(x, 496, 11, CREAM) for x in range(804, 1070, 58)) + f'<path d="M1084 440h36q24 4 28 30v60h-64Z" fill="{TOMATO_DARK}"/>' + dot(1140, 492, 12, SUN) + slab(744, 380, 372, 28, 12, TEAL)
        + "".join(dot(x, 540, 44, "#45403E") + dot(x, 540, 29, SUN) + dot(x, 540, 10, TOMATO) for x in (840, 1066))
    )
    blocks = slab(1250, 474, 92, 92, 10, SKY) + slab(1350, 474, 92, 92, 10, SUN) + dot(1396, 520, 24, CREAM) + fill(poly((1300, 474), (1396, 474), (1348, 380), r=10), TOMATO)
    gores = "".join(fill(poly((600, 170), polar((600, 170), 84, -90 + 60 * n), polar((600, 170), 84, -30 + 60 * n)), (TOMATO, SUN, TEAL, SKY, PINK, "#EE7B30")[n]) for n in range(6))
    kite = line(curve((590, 180), (560, 320), (620, 420), (600, 520)), WHITE, 4) + group(gores, turn=14, about=(600, 170))
    clouds = "".join(dot(x - s * 0.5, y, s * 0.4, WHITE) + dot(x, y - s * 0.2, s * 0.56, WHITE) + dot(x + s * 0.6, y, s * 0.42, WHITE) + slab(x - s * 0.9, y, s * 1.92, s * 0.42, s * 0.2, WHITE) for x, y, s in ((960, 120, 60),))
    return document(1600, 640, slab(0, 0, 1600, 640, 0, TINTS["sky"]), dot(1340, 150, 70, SUN), clouds, hills, floor, kite, rainbow, bus, blocks, small_top(1196, 604, 150, 4))


# Round icons, 120 × 120 -----------------------------------------------------------------------------------------


def icon(tint: str, *parts: str) -> str:
    """A drawing on a tinted disc."""
    return document(240, 240, fill(circle(120, 120, 118), TINTS[tint]), *parts)


def icon_blocks() -> str:
    return lean(box(52, 118, 64, 64, r=9), TOMATO) + lean(box(122, 118, 64, 64, r=9), SKY) + lean(poly((84, 116), (154, 116), (119, 52), r=9), SUN)


def icon_bear() -> str:
    ears = "".join(lean(circle(120 + d * 50, 78, 24), "#B07B4C", fill(circle(120 + d * 50, 80, 12), "#EBCBA0"), shade=(-5, -6)) for d in (-1, 1))
    face = lean(ellipse(120, 124, 66, 60), "#B07B4C", fill(ellipse(120, 146, 30, 24), "#EBCBA0"), fill(ellipse(120, 136, 10, 7), INK), fill(circle(94, 114, 7), INK), fill(circle(146, 114, 7), INK), line(curve((108, 152), (120, 160), (132, 152)), INK, 5), fill(ellipse(78, 138, 10, 7), TOMATO, 0.5), fill(ellipse(162, 138, 10, 7), TOMATO, 0.5))
    return ears + face


def icon_car() -> str:
    body = poly((40, 152), (40, 118), (74, 112), (94, 78), (148, 78), (168, 112), (202, 120), (202, 152), r=12)
    return lean(body, SKY, fill(box(100, 88, 20, 26, r=5), "#DDEFF5"), fill(box(126, 88, 22, 26, r=5), "#DDEFF5")) + "".join(fill(circle(x, 154, 24), INK) + fill(circle(x, 154, 13), SUN) for x in (82, 162))


def icon_puzzle() -> str:
    shape = box(64, 84, 100, 100, r=8) + circle(114, 78, 20) + circle(170, 134, 20)
    return lean(shape, TEAL, fill(circle(64, 134, 18), TINTS["lilac"])) + fill(circle(62, 134, 18), TINTS["lilac"])


def icon_drum() -> str:
    shell = poly((62, 96), (178, 96), (166, 186), (74, 186), r=10)
    zigzag = line(poly(*((60 + n * 20, 112 if n % 2 else 172) for n in range(7)), closed=False), CREAM, 6)
    sticks = line(poly((70, 46), (108, 90), closed=False), CEDAR, 9) + line(poly((176, 40), (140, 88), closed=False), CEDAR, 9) + fill(circle(70, 46, 10), SUN) + fill(circle(176, 40, 10), SUN)
    return lean(shell, TOMATO, zigzag, shade=(-12, 0)) + lean(ellipse(120, 96, 60, 18), CREAM, shade=(-4, -4)) + line(ellipse(120, 96, 60, 18), SUN, 8) + sticks


def icon_paint() -> str:
    palette = blob((52, 130), (76, 74), (140, 62), (190, 98), (186, 138), (150, 146), (148, 176), (110, 186), (66, 168))
    dots = "".join(fill(circle(x, y, 13), c) for x, y, c in ((92, 98, TOMATO), (132, 88, SUN), (164, 108, TEAL), (84, 136, SKY), (104, 164, PLUM)))
    return lean(palette, "#DFB27C", dots) + line(poly((196, 60), (140, 132), closed=False), CEDAR, 10) + fill(leaf((146, 126), (124, 156), 20), TOMATO)


def icon_pot() -> str:
    body = box(62, 104, 116, 76, r=(6, 6, 24, 24))
    vapour = "".join(line(curve((x, 62), (x - 8, 50), (x + 8, 38), (x, 24)), WHITE, 8) for x in (100, 120, 140))
    return vapour + "".join(line(arc((120 + d * 60, 128), 14, -90 if d > 0 else 90, 90 if d > 0 else 270), TOMATO_DARK, 9) for d in (-1, 1)) + lean(body, TOMATO, fill(box(60, 118, 120, 9), CREAM)) + lean(sector((120, 104), 64, 0, 180, 360).size(1, 0.4, (120, 104)), TOMATO, shade=(-6, -4)) + fill(circle(120, 76, 9), SUN)


def icon_kite() -> str:
    gores = "".join(fill(poly((124, 94), polar((124, 94), 58, -90 + 60 * n), polar((124, 94), 58, -30 + 60 * n)), (TOMATO, SUN, TEAL, SKY, PINK, "#EE7B30")[n]) for n in range(6))
    return line(curve((112, 146), (90, 170), (116, 190), (90, 212)), WHITE, 5) + fill(poly((80, 158), (110, 178), (110, 160), (80, 176)), TOMATO) + fill(poly((92, 186), (120, 204), (120, 188), (92, 204)), SUN) + group(gores, turn=16, about=(124, 94))


def icon_top() -> str:
    return small_top(116, 212, 186, 6)


def icon_rattle() -> str:
    rings = "".join(lean(box(96, 128 + n * 18, 48, 15, r=7), c, shade=(-4, -3)) for n, c in enumerate((SUN, TEAL, SKY)))
    return group(line(poly((120, 120), (120, 200), closed=False), "#DFB27C", 14), lean(circle(120, 80, 46), TOMATO, fill(star(120, 80, 24, 11, 5, 3), SUN)), rings, fill(circle(120, 202, 13), "#DFB27C"), turn=22, about=(120, 120))


def icon_train() -> str:
    return lean(box(60, 70, 54, 84, r=8), TOMATO, fill(box(72, 84, 30, 28, r=6), "#DDEFF5")) + lean(box(108, 104, 78, 50, r=(4, 24, 24, 4)), SUN) + lean(box(150, 66, 22, 42, r=4), TEAL, shade=(-6, 0)) + lean(box(52, 60, 70, 18, r=8), TEAL, shade=(0, -5)) + "".join(fill(circle(x, 162, 20), INK) + fill(circle(x, 162, 10), CREAM) for x in (84, 130, 172))


def icon_yoyo() -> str:
    return line(poly((120, 8), (120, 90), closed=False), WHITE, 6) + lean(circle(120, 134, 66), TOMATO) + fill(circle(120, 134, 46), "#EBC793") + lean(star(120, 134, 40, 18, 5, 4), SUN, shade=(-4, -5)) + fill(circle(120, 134, 9), TEAL)


def icon_scope() -> str:
    legs = line(poly((116, 132), (84, 204), closed=False), CEDAR, 9) + line(poly((122, 132), (160, 204), closed=False), CEDAR, 9) + line(poly((120, 132), (122, 210), closed=False), CEDAR, 9)
    tube = lean(box(54, 100, 60, 32, r=8), "#4F93D6", shade=(0, -9)) + lean(box(104, 92, 84, 48, r=9), SKY, fill(star(146, 112, 11, 5, 5), "#FBE7A8"), shade=(0, -13)) + fill(box(180, 88, 15, 56, r=6), BRASS)
    return legs + group(tube, turn=-26, about=(120, 116)) + fill(star(66, 62, 14, 6, 4), SUN) + fill(star(92, 40, 9, 4, 4), SUN)


def icon_pawns() -> str:
    def man(x: float, base: float, colour: str) -> str:
        return lean(twin((x, base - 84), (x + 14, base - 82), (x + 16, base - 46), (x + 34, base - 10), (x, base), x=x), colour, shade=(-8, -2)) + lean(circle(x, base - 96, 24), colour, shade=(-5, -6))

    cube = lean(box(104, 130, 66, 66, r=14), CREAM, *(fill(circle(x, y, 7), TOMATO) for x, y in ((122, 148), (152, 148), (137, 163), (122, 178), (152, 178))), shade=(-7, -8))
    return man(84, 184, TOMATO) + man(160, 176, TEAL) + cube


SPOTS: dict[str, Callable[[], str]] = {
    "empty-cart": empty_cart, "empty-search": empty_search, "not-found": not_found, "order-paid": order_paid, "order-pending": order_pending, "order-rejected": order_rejected,
}
ICONS: dict[str, tuple[str, Callable[[], str]]] = {
    "category-juegos-tradicionales": ("butter", icon_top), "category-construccion": ("mint", icon_blocks), "category-munecas-y-peluches": ("rose", icon_bear), "category-vehiculos": ("peach", icon_car),
    "category-juegos-y-rompecabezas": ("lilac", icon_puzzle), "category-musica": ("sky", icon_drum), "category-ciencia-y-arte": ("butter", icon_paint), "category-juego-de-roles": ("mint", icon_pot), "category-aire-libre": ("sky", icon_kite),
    "age-0-2": ("rose", icon_rattle), "age-3-5": ("mint", icon_train), "age-6-8": ("sky", icon_yoyo), "age-9-12": ("lilac", icon_scope), "age-12+": ("peach", icon_pawns),
}

# Files ----------------------------------------------------------------------------------------------------------


def social() -> str:
    """The picture shown when the shop is shared, 1200 × 630."""
    name = '<g transform="translate(60 196) scale(1.42)">' + mark() + wordmark(106, 73, 82) + "</g>"
    line_one = fill(words("Juguetes hechos con cariño,", 76, 418, 44, 500, "start"), INK_SOFT)
    line_two = fill(words("para todas las edades.", 76, 474, 44, 500, "start"), INK_SOFT)
    toys = '<g transform="translate(624 40) scale(.58)">' + chiva() + "</g>"
    floor = fill(Path((*curve((-20, 540), (420, 516), (820, 536), (1240, 506)).parts, ("L", ((1240, 660),)), ("L", ((-20, 660),)), ("Z", ()))), TINTS["sand"])
    sky_ = fill(circle(912, 290, 292), TINTS["butter"])
    return document(1200, 630, fill(box(0, 0, 1200, 630), PAPER), floor, sky_, shadow(908, 506, 268, 20), toys, name, line_one, line_two, whole=False)


def pixels(svg: str, width: int) -> Image.Image:
    """A drawing as pixels."""
    return Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True))))


def main() -> None:
    """Write every brand file and say how large the illustrations are."""
    BRAND.mkdir(parents=True, exist_ok=True)
    drawings = {"logo": logo(), "logo-light": logo(WHITE), "mark": document(96, 96, mark(), whole=False), "hero": hero()}
    drawings |= {name: document(480, 360, draw()) for name, draw in SPOTS.items()}
    drawings |= {name: icon(tint, draw()) for name, (tint, draw) in ICONS.items()}
    for name, svg in drawings.items():
        if not name.startswith("logo") and len(svg.encode()) >= LIMIT:
            raise SystemExit(f"{name}.svg is {len(svg.encode())} bytes; the limit is {LIMIT}")
        (BRAND / f"{name}.svg").write_text(svg, encoding="utf-8")
        print(f"{name}.svg {len(svg.encode())}")
    (BRAND / "favicon.svg").write_text(drawings["mark"], encoding="utf-8")
    pixels(drawings["mark"], 32).save(BRAND / "favicon-32.png", optimize=True)
    for name, width, svg in (
        ("apple-touch-icon", 180, badge(PAPER, 0.12, 0)), ("icon-192", 192, badge(PAPER, 0.1, 112)), ("icon-512", 512, badge(PAPER, 0.1, 112)), ("icon-maskable-512", 512, badge(PAPER, 0.2, 0)),
    ):
        pixels(svg, width).save(BRAND / f"{name}.png", optimize=True)
    pixels(social(), 1200).convert("RGB").quantize(192, dither=Image.Dither.NONE).save(BRAND / "og.png", optimize=True)


if __name__ == "__main__":
    main()
