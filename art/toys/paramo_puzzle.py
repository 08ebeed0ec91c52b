"""Rompecabezas Páramo: a landscape in jigsaw pieces."""

from random import Random

from art.colour import CREAM, INK, PINE, SUN, TEAL, WHITE, darker
from art.gallery import picture
from art.lettering import words
from art.nature import frailejon, tuft
from art.paint import cast, clip, fill, group, line, multiply, solid
from art.scenes import flat, planks
from art.shapes import Path, Point, arc, box, circle, curve, ellipse, poly


def paramo(with_bear: bool = True) -> str:
    """The printed picture: dawn over a lagoon, frailejones, a bear that hides. Fills 130–830."""
    ridge = Path(
        (
            *curve((120, 470), (230, 360), (330, 440), (470, 300), (610, 440), (720, 350), (840, 460)).parts,
            ("L", ((840, 840),)),
            ("L", ((120, 840),)),
            ("Z", ()),
        )
    )
    near = Path(
        (
            *curve((120, 560), (260, 480), (420, 560), (600, 500), (840, 580)).parts,
            ("L", ((840, 840),)),
            ("L", ((120, 840),)),
            ("Z", ()),
        )
    )
    front = Path(
        (
            *curve((120, 700), (300, 660), (480, 710), (660, 660), (840, 700)).parts,
            ("L", ((840, 840),)),
            ("L", ((120, 840),)),
            ("Z", ()),
        )
    )
    bear = (
        (
            fill(circle(612, 600, 40), "#2E2622")
            + fill(circle(584, 570, 14), "#2E2622")
            + fill(circle(640, 570, 14), "#2E2622")
            + line(arc((598, 596), 13, 120, 340), CREAM, 7)
            + line(arc((628, 596), 13, 200, 420), CREAM, 7)
            + fill(ellipse(612, 620, 16, 12), CREAM)
            + fill(circle(612, 615, 6), INK)
            + fill(circle(598, 597, 4.5), WHITE)
            + fill(circle(628, 597, 4.5), WHITE)
        )
        if with_bear
        else ""
    )
    return (
        fill(box(120, 120, 720, 720), "#F9D9B8")
        + fill(circle(480, 330, 110), SUN)
        + fill(circle(480, 330, 150), "#FCE3A6", 0.5)
        + "".join(
            fill(box(x, y, w, 26, r=13), WHITE, 0.9)
            for x, y, w in ((170, 220, 150), (230, 250, 90), (640, 190, 130), (590, 218, 110))
        )
        + fill(ridge, "#8FA9B5")
        + fill(poly((470, 298), (520, 352), (490, 346), (470, 368), (446, 346), (420, 354), r=10), WHITE)
        + fill(near, "#6E9A86")
        + fill(ellipse(400, 620, 190, 44), "#A9D3DC")
        + fill(ellipse(400, 614, 120, 14), "#D7ECEE")
        + bear
        + fill(front, "#8FAF5E")
        + frailejon(760, 660, 80)
        + frailejon(250, 690, 96)
        + frailejon(200, 800, 130)
        + frailejon(520, 800, 128)
        + frailejon(748, 822, 150)
        + frailejon(370, 780, 110)
        + tuft(440, 830, 50, "#6F8F45")
        + tuft(620, 840, 56, "#6F8F45")
        + tuft(300, 836, 46, "#6F8F45")
    )


KNOB = ((0.38, 0.0), (0.44, 0.06), (0.36, 0.18), (0.5, 0.26), (0.64, 0.18), (0.56, 0.06), (0.62, 0.0))


def jig(a: Point, b: Point, side: int) -> list[Point]:
    """The points of a jigsaw edge from a to b with its knob to the left (1) or right (-1)."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    return [a, *((a[0] + dx * u - dy * v * side, a[1] + dy * u + dx * v * side) for u, v in KNOB), b]


def cuts(
    left: float, top: float, cell: float, count: int, seed: int
) -> tuple[list[Path], dict[tuple[str, int, int], int]]:
    """All inner edges of a square puzzle, and which way each knob points."""
    chance = Random(seed)
    paths, ways = [], {}
    for row in range(count):
        for column in range(count):
            x, y = left + column * cell, top + row * cell
            for kind, a, b, inner in (
                ("v", (x + cell, y), (x + cell, y + cell), column < count - 1),
                ("h", (x, y + cell), (x + cell, y + cell), row < count - 1),
            ):
                if inner:
                    ways[kind, column, row] = chance.choice((-1, 1))
                    paths.append(curve(*jig(a, b, ways[kind, column, row])))
    return paths, ways


def piece(
    left: float, top: float, cell: float, column: int, row: int, ways: dict[tuple[str, int, int], int]
) -> Path:
    """The outline of one inner piece."""
    x, y = left + column * cell, top + row * cell
    north = curve(*jig((x, y), (x + cell, y), ways["h", column, row - 1]))
    east = curve(*jig((x + cell, y), (x + cell, y + cell), ways["v", column, row]))
    south = curve(*jig((x, y + cell), (x + cell, y + cell), ways["h", column, row])[::-1])
    west = curve(*jig((x, y), (x, y + cell), ways["v", column - 1, row])[::-1])
    parts = list(north.parts)
    for side in (east, south, west):
        parts += side.parts[1:]
    return Path((*parts, ("Z", ())))


def puzzle(gap: tuple[int, int] | None, count: int = 7, seed: int = 9) -> str:
    """The puzzle made up, perhaps with one hole."""
    cell = 700 / count
    frame = box(130, 130, 700, 700, r=14)
    paths, ways = cuts(130, 130, cell, count, seed)
    lines = "".join(
        line(path, "#6B4A38", 4.5, opacity=0.55) + line(path.move(2.5, 3), WHITE, 2.5, opacity=0.4)
        for path in paths
    )
    missing = (
        fill(piece(130, 130, cell, *gap, ways), "#D9C39E")
        + multiply(
            piece(130, 130, cell, *gap, ways) + piece(130, 130, cell, *gap, ways).move(9, 10), "#C5A896"
        )
        if gap
        else ""
    )
    return (
        cast(frame, 14, 20, 12, 0.34)
        + fill(frame.move(6, 9), "#BFA27C")
        + clip(frame, paramo(), lines, clip(piece(130, 130, cell, *gap, ways), missing) if gap else "")
    )


def loose(
    gap: tuple[int, int], move: Point, turn: float, count: int = 7, seed: int = 9, size: float = 1
) -> str:
    """One piece of the picture, lifted out."""
    cell = 700 / count
    _, ways = cuts(130, 130, cell, count, seed)
    shape = piece(130, 130, cell, *gap, ways)
    middle = (130 + cell * (gap[0] + 0.5), 130 + cell * (gap[1] + 0.5))
    return group(
        cast(shape, 12, 18, 8, 0.4),
        fill(shape.move(5, 8), "#BFA27C"),
        clip(shape, paramo()),
        line(shape, WHITE, 3, opacity=0.5),
        move=move,
        turn=turn,
        about=middle,
        size=size,
    )


@picture("rompecabezas-páramo-1")
def paramo_made() -> str:
    return planks(PINE, 5) + group(
        puzzle((4, 2)), loose((4, 2), (210, 380), 18), turn=-3, size=0.96, about=(480, 480)
    )


@picture("rompecabezas-páramo-2")
def paramo_box() -> str:
    lid = poly((150, 190), (640, 190), (640, 700), (150, 700), r=20)
    art = group(paramo(), size=0.6, about=(395, 400), move=(-51, -20))
    window = box(186, 226, 418, 330, r=16)
    side = poly((640, 196), (702, 236), (702, 734), (640, 694), r=8)
    lower = poly((156, 700), (640, 700), (702, 738), (216, 738), r=8)
    pieces = (
        loose((2, 5), (470, 250), 30, size=1.35)
        + loose((4, 3), (270, 150), -24, size=1.35)
        + loose((1, 3), (520, -40), 60, size=1.35)
        + loose((5, 1), (250, -10), -40, size=1.35)
        + loose((3, 4), (-120, 280), 15, size=1.35)
    )
    return (
        flat("lilac")
        + cast(box(156, 196, 546, 540, r=20), 18, 26, 16, 0.34)
        + fill(side, darker(TEAL, 0.3))
        + fill(lower, darker(TEAL, 0.42))
        + solid(
            lid,
            TEAL,
            clip(window, art),
            fill(words("Páramo", 186, 648, 92, 700, "start"), CREAM),
            fill(words("100", 604, 648, 58, 600, "end"), SUN),
            shade=(-10, -12),
            rim=6,
        )
        + pieces
    )


@picture("rompecabezas-páramo-3")
def paramo_detail() -> str:
    return flat("sand") + group(puzzle(None), move=(-120, -130), size=2.7, about=(610, 620))
