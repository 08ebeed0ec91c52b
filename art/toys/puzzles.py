"""Rompecabezas: the map of Colombia, the páramo in a hundred pieces, the tangram."""

from art.colour import CEDAR, COCOA, CREAM, INK, LIME, OAK, ORANGE, PINE, PINK, PLUM, SKY, SUN, TEAL, TOMATO, WHITE, darker, lighter
from art.gallery import picture
from art.lettering import words
from art.materials import grain
from art.nature import frailejon, palm, tuft
from art.paint import cast, clip, fill, group, line, multiply, solid
from art.scenes import flat, halo, planks
from art.shapes import Path, Point, arc, blob, box, circle, curve, ellipse, leaf, poly, twin
from art.toys.table_games import toucan

from random import Random

# Map of Colombia ------------------------------------------------------------------------------------------------

# Longitude and latitude, simplified by hand to what a jigsaw blade can follow. Borders that two regions share are
# written once and walked in opposite directions.
Coast = tuple[tuple[float, float], ...]
CARIBBEAN_SEA: Coast = (
    (-77.3, 8.6), (-76.95, 8.2), (-76.75, 8.6), (-76.2, 9.1), (-75.7, 9.5), (-75.65, 10.3), (-75.2, 10.8), (-74.8, 11.1), (-74.2, 11.35),
    (-73.3, 11.35), (-72.5, 11.75), (-71.8, 12.4), (-71.2, 12.1), (-71.8, 11.6), (-72.4, 11.1), (-72.9, 10.5), (-73.1, 9.7), (-73.2, 9.2),
)
CARIBBEAN_ANDES: Coast = ((-73.2, 9.2), (-73.9, 8.5), (-74.7, 8.2), (-75.5, 7.8), (-76.4, 7.7), (-76.9, 7.8))
PANAMA: Coast = ((-76.9, 7.8), (-77.3, 8.6))
ANDES_EAST: Coast = ((-73.2, 9.2), (-72.8, 8.9), (-72.4, 8.3), (-72.5, 7.5), (-72.0, 7.0))
ANDES_ORINOCO: Coast = ((-72.0, 7.0), (-72.6, 6.0), (-73.0, 5.1), (-73.6, 4.2), (-74.2, 3.1))
ANDES_AMAZON: Coast = ((-74.2, 3.1), (-75.1, 2.2), (-76.0, 1.4), (-76.6, 0.9), (-77.2, 0.4))
ANDES_SOUTH: Coast = ((-77.2, 0.4), (-77.7, 0.8), (-78.1, 1.0))
ANDES_PACIFIC: Coast = ((-78.1, 1.0), (-77.4, 1.9), (-76.7, 2.8), (-76.3, 3.8), (-76.0, 4.8), (-75.9, 5.9), (-76.2, 6.9), (-76.9, 7.8))
PACIFIC_SEA: Coast = (
    (-78.1, 1.0), (-78.9, 1.4), (-78.6, 2.4), (-77.8, 2.7), (-77.5, 3.4), (-77.2, 4.1), (-77.4, 4.9), (-77.4, 5.8), (-77.4, 6.6), (-77.8, 7.2), (-77.4, 7.6), (-76.9, 7.8),
)
ORINOCO_EAST: Coast = ((-72.0, 7.0), (-70.7, 7.1), (-69.6, 6.2), (-67.5, 6.2), (-67.8, 5.2), (-67.7, 4.3), (-67.3, 3.4), (-67.8, 2.8))
ORINOCO_AMAZON: Coast = ((-67.8, 2.8), (-69.2, 2.9), (-70.6, 2.6), (-71.9, 2.9), (-73.1, 2.7), (-74.2, 3.1))
AMAZON_EAST: Coast = (
    (-67.8, 2.8), (-67.2, 2.2), (-66.9, 1.2), (-67.6, 1.9), (-68.3, 1.8), (-69.8, 1.7), (-69.6, 0.8), (-70.1, 0.3), (-69.7, -0.6), (-69.5, -1.4),
    (-69.9, -4.2), (-70.6, -3.8), (-70.2, -2.8), (-71.3, -2.3), (-72.6, -2.4), (-73.4, -1.7), (-74.4, -0.8), (-75.4, -0.1), (-76.4, 0.3), (-77.2, 0.4),
)


def on_paper(where: Coast) -> list[Point]:
    """Degrees to the drawing square."""
    return [(500 + (lon + 72.75) * 46, 484 - (lat - 4.1) * 46) for lon, lat in where]


def outline(*walks: tuple[Coast, int]) -> Path:
    """One region: its borders walked in order, forward (1) or back (-1)."""
    points: list[Point] = []
    for coast, way in walks:
        points += on_paper(coast[::way])[:-1]
    return poly(*points, r=14)


CARIBBEAN = outline((CARIBBEAN_SEA, 1), (CARIBBEAN_ANDES, 1), (PANAMA, 1))
ANDES = outline((CARIBBEAN_ANDES, -1), (ANDES_EAST, 1), (ANDES_ORINOCO, 1), (ANDES_AMAZON, 1), (ANDES_SOUTH, 1), (ANDES_PACIFIC, 1))
PACIFIC = outline((PACIFIC_SEA, 1), (ANDES_PACIFIC, -1))
ORINOCO = outline((ORINOCO_EAST, 1), (ORINOCO_AMAZON, 1), (ANDES_ORINOCO, -1))
AMAZON = outline((AMAZON_EAST, 1), (ANDES_AMAZON, -1), (ORINOCO_AMAZON, -1))


def peaks(x: float, y: float, s: float) -> str:
    """Three snowy mountains."""
    parts = ""
    for dx, h, tone in ((-0.7, 0.9, "#5C7F73"), (0.7, 0.8, "#5C7F73"), (0, 1.3, "#3F6A60")):
        parts += fill(poly((x + dx * s, y - h * s), (x + (dx + 0.72) * s, y), (x + (dx - 0.72) * s, y), r=s * 0.1), tone)
        parts += fill(poly((x + dx * s, y - h * s), (x + (dx + 0.22) * s, y - (h - 0.42) * s), (x + dx * s, y - (h - 0.32) * s), (x + (dx - 0.22) * s, y - (h - 0.42) * s), r=s * 0.06), WHITE)
    return parts


def small_condor(x: float, y: float, s: float) -> str:
    """A condor far up."""
    return fill(blob((x, y), (x - s * 0.5, y - s * 0.3), (x - s, y - s * 0.1), (x - s * 0.55, y - s * 0.04), (x, y + s * 0.22), (x + s * 0.55, y - s * 0.04), (x + s, y - s * 0.1), (x + s * 0.5, y - s * 0.3)), INK) + fill(circle(x, y - s * 0.02, s * 0.09), WHITE)


def whale(x: float, y: float, s: float) -> str:
    """A humpback off the Pacific coast."""
    body = blob((x - s * 0.8, y - s * 0.06), (x - s * 0.3, y - s * 0.46), (x + s * 0.4, y - s * 0.24), (x + s * 0.86, y - s * 0.5), (x + s * 0.62, y), (x, y + s * 0.34), (x - s * 0.62, y + s * 0.26))
    return solid(body, SKY, fill(ellipse(x - s * 0.5, y + s * 0.24, s * 0.5, s * 0.18), "#CFE3EF"), shade=(-4, -4), rim=2) + fill(circle(x - s * 0.5, y - s * 0.06, s * 0.06), INK) + line(curve((x - s * 0.3, y - s * 0.54), (x - s * 0.36, y - s * 0.8), (x - s * 0.54, y - s * 0.86)), WHITE, s * 0.09) + line(curve((x - s * 0.3, y - s * 0.54), (x - s * 0.22, y - s * 0.8), (x - s * 0.06, y - s * 0.84)), WHITE, s * 0.09)


def sombrero(x: float, y: float, s: float) -> str:
    """A sombrero vueltiao."""
    brim = ellipse(x, y, s, s * 0.34)
    crown = twin((x, y - s * 0.62), (x + s * 0.4, y - s * 0.54), (x + s * 0.48, y), (x, y + s * 0.1), x=x)
    return (
        solid(brim, CREAM, line(ellipse(x, y, s * 0.78, s * 0.24), COCOA, s * 0.08), shade=(-4, -5), rim=0)
        + solid(crown, CREAM, "".join(line(curve((x - s * 0.5, y - s * h), (x, y - s * (h - 0.1)), (x + s * 0.5, y - s * h)), COCOA, s * 0.07) for h in (0.08, 0.24, 0.42)), shade=(-4, -3), rim=0)
    )


def rainforest(x: float, y: float, s: float) -> str:
    """A toucan among leaves."""
    leaves = "".join(fill(leaf((x + dx * s, y + s * 0.9), (x + tx * s, y + ty * s), s * 0.4), c) for dx, tx, ty, c in ((-0.2, -1.3, 0.3, "#2F7A4B"), (0.2, 1.3, 0.2, "#2F7A4B"), (-0.1, -0.9, -0.4, "#3F8F52"), (0.1, 0.9, -0.5, "#3F8F52")))
    return leaves + toucan(x, y + s * 0.1, s * 0.8)


def savanna(x: float, y: float, s: float) -> str:
    """A capybara, a palm and the sun of the plains."""
    return (
        fill(circle(x + s * 0.5, y - s * 0.6, s * 0.36), TOMATO)
        + palm(x - s * 0.9, y + s * 0.5, s * 1.05, "#2F7A4B")
        + fill(box(x - s * 0.34, y + s * 0.1, s * 1.1, s * 0.52, r=s * 0.24), "#9C6B3F") + fill(box(x + s * 0.5, y - s * 0.14, s * 0.5, s * 0.4, r=s * 0.14), "#9C6B3F")
        + fill(circle(x + s * 0.76, y, s * 0.045), INK) + fill(circle(x + s * 0.58, y - s * 0.14, s * 0.08), "#7E5430")
        + "".join(fill(box(x + dx * s, y + s * 0.5, s * 0.15, s * 0.26, r=s * 0.05), "#7E5430") for dx in (-0.24, 0.06, 0.5))
    )


def region(index: int, move: Point = (0, 0), turn: float = 0) -> str:
    """One thick piece of the map with what is painted on it."""
    shape, colour, (px, py, size), extra = REGIONS[index]
    left, top, right, bottom = shape.bounds()
    middle = ((left + right) / 2, (top + bottom) / 2)
    piece = fill(shape.move(7, 11), darker(colour, 0.34)) + solid(shape, colour, extra(px, py, size), shade=(-9, -10), rim=6)
    return group(cast(shape, 10, 16, 8, 0.3), piece, move=move, turn=turn, about=middle)


def andes_scene(x: float, y: float, s: float) -> str:
    """A river down the chain of mountains, coffee in the south, a condor above."""
    river = line(curve((x - 46, y + 190), (x - 20, y + 110), (x - 44, y + 40), (x - 8, y - 60), (x - 22, y - 150), (x + 4, y - 190)), "#5FB0D0", 9)
    berries = "".join(fill(circle(x - 72 + dx, y + 150 + dy, 8), TOMATO) for dx, dy in ((0, 0), (15, 7), (3, 15)))
    coffee = fill(leaf((x - 66, y + 180), (x - 30, y + 156), 17), "#2F7A4B") + fill(leaf((x - 70, y + 182), (x - 106, y + 170), 17), "#2F7A4B") + berries
    houses = "".join(fill(box(x + dx, y + dy, 20, 16), WHITE) + fill(poly((x + dx - 5, y + dy + 1), (x + dx + 25, y + dy + 1), (x + dx + 10, y + dy - 13)), TOMATO) for dx, dy in ((26, 40), (50, 48), (-66, 84)))
    return river + peaks(x + 26, y, s) + small_condor(x + 48, y - 92, 34) + peaks(x - 44, y + 62, s * 0.5) + peaks(x - 52, y - 60, s * 0.5) + coffee + houses


REGIONS = (
    (CARIBBEAN, SUN, (424, 244, 44), sombrero),
    (PACIFIC, TEAL, (312, 446, 28), whale),
    (ANDES, LIME, (416, 420, 54), andes_scene),
    (ORINOCO, ORANGE, (604, 450, 64), savanna),
    (AMAZON, "#4FA867", (524, 612, 68), rainforest),
)


def islands(move: Point = (0, 0)) -> str:
    """San Andrés and Providencia, as one round piece."""
    disc = circle(196, 160, 54)
    scene = fill(ellipse(196, 182, 36, 12), "#F2DCA6") + palm(196, 182, 52, "#2F7A4B")
    return group(cast(disc, 8, 12, 7, 0.3), fill(disc.move(6, 9), darker(SKY, 0.3)), solid(disc, SKY, scene, line(curve((150, 196), (176, 188), (206, 198), (240, 190)), WHITE, 5), shade=(-8, -9), rim=5), move=move)


def map_tray(sunk: bool = False) -> str:
    """The wooden frame; `sunk` shows the empty bed."""
    frame = box(90, 60, 780, 840, r=40)
    bed = "".join(fill(shape, darker(PINE, 0.2)) for shape, *_ in REGIONS) if sunk else ""
    bed += fill(circle(196, 160, 54), darker(PINE, 0.2)) if sunk else ""
    return (
        cast(frame, 18, 26, 16, 0.34)
        + solid(frame, OAK, grain(frame.bounds(), OAK, 17, 20), shade=(-14, -16), rim=6)
        + solid(box(132, 102, 696, 756, r=20), lighter(PINE, 0.35), grain((132, 102, 828, 858), lighter(PINE, 0.35), 23, 14), bed, shade=(10, 10), rim=0)
    )


@picture("Mapa de Colombia (armado)")
def map_whole() -> str:
    pieces = islands() + "".join(region(n) for n in range(5))
    return flat("mint") + group(map_tray(), pieces, fill(words("Colombia", 290, 810, 64, 600), CEDAR), size=0.94, turn=-2, about=(480, 480))


@picture("Mapa de Colombia (por piezas)")
def map_apart() -> str:
    return (
        flat("peach")
        + group(region(0, (30, -70), 5), region(1, (-120, -20), -12), region(2, (-46, 10), -3), region(3, (110, -70), 9), region(4, (66, 60), -6), islands((40, 66)), size=1.1, about=(480, 480))
    )


@picture("Mapa de Colombia (detalle)")
def map_detail() -> str:
    return flat("mint") + group(map_tray(), "".join(region(n) for n in range(5)), move=(60, 50), size=2.6, about=(420, 430))


# Páramo puzzle --------------------------------------------------------------------------------------------------


def paramo(with_bear: bool = True) -> str:
    """The printed picture: dawn over a lagoon, frailejones, a bear that hides. Fills 130–830."""
    ridge = Path((*curve((120, 470), (230, 360), (330, 440), (470, 300), (610, 440), (720, 350), (840, 460)).parts, ("L", ((840, 840),)), ("L", ((120, 840),)), ("Z", ())))
    near = Path((*curve((120, 560), (260, 480), (420, 560), (600, 500), (840, 580)).parts, ("L", ((840, 840),)), ("L", ((120, 840),)), ("Z", ())))
    front = Path((*curve((120, 700), (300, 660), (480, 710), (660, 660), (840, 700)).parts, ("L", ((840, 840),)), ("L", ((120, 840),)), ("Z", ())))
    bear = (
        fill(circle(612, 600, 40), "#2E2622") + fill(circle(584, 570, 14), "#2E2622") + fill(circle(640, 570, 14), "#2E2622")
        + line(arc((598, 596), 13, 120, 340), CREAM, 7) + line(arc((628, 596), 13, 200, 420), CREAM, 7) + fill(ellipse(612, 620, 16, 12), CREAM) + fill(circle(612, 615, 6), INK) + fill(circle(598, 597, 4.5), WHITE) + fill(circle(628, 597, 4.5), WHITE)
    ) if with_bear else ""
    return (
        fill(box(120, 120, 720, 720), "#F9D9B8") + fill(circle(480, 330, 110), SUN) + fill(circle(480, 330, 150), "#FCE3A6", 0.5)
        + "".join(fill(box(x, y, w, 26, r=13), WHITE, 0.9) for x, y, w in ((170, 220, 150), (230, 250, 90), (640, 190, 130), (590, 218, 110)))
        + fill(ridge, "#8FA9B5") + fill(poly((470, 298), (520, 352), (490, 346), (470, 368), (446, 346), (420, 354), r=10), WHITE)
        + fill(near, "#6E9A86") + fill(ellipse(400, 620, 190, 44), "#A9D3DC") + fill(ellipse(400, 614, 120, 14), "#D7ECEE")
        + bear + fill(front, "#8FAF5E")
        + frailejon(760, 660, 80) + frailejon(250, 690, 96) + frailejon(200, 800, 130) + frailejon(520, 800, 128) + frailejon(748, 822, 150) + frailejon(370, 780, 110)
        + tuft(440, 830, 50, "#6F8F45") + tuft(620, 840, 56, "#6F8F45") + tuft(300, 836, 46, "#6F8F45")
    )


KNOB = ((0.38, 0.0), (0.44, 0.06), (0.36, 0.18), (0.5, 0.26), (0.64, 0.18), (0.56, 0.06), (0.62, 0.0))


def jig(a: Point, b: Point, side: int) -> list[Point]:
    """The points of a jigsaw edge from a to b with its knob to the left (1) or right (-1)."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    return [a, *((a[0] + dx * u - dy * v * side, a[1] + dy * u + dx * v * side) for u, v in KNOB), b]


def cuts(left: float, top: float, cell: float, count: int, seed: int) -> tuple[list[Path], dict[tuple[str, int, int], int]]:
    """All inner edges of a square puzzle, and which way each knob points."""
    chance = Random(seed)
    paths, ways = [], {}
    for row in range(count):
        for column in range(count):
            x, y = left + column * cell, top + row * cell
            for kind, a, b, inner in (("v", (x + cell, y), (x + cell, y + cell), column < count - 1), ("h", (x, y + cell), (x + cell, y + cell), row < count - 1)):
                if inner:
                    ways[kind, column, row] = chance.choice((-1, 1))
                    paths.append(curve(*jig(a, b, ways[kind, column, row])))
    return paths, ways


def piece(left: float, top: float, cell: float, column: int, row: int, ways: dict[tuple[str, int, int], int]) -> Path:
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
    lines = "".join(line(path, "#6B4A38", 4.5, opacity=0.55) + line(path.move(2.5, 3), WHITE, 2.5, opacity=0.4) for path in paths)
    missing = fill(piece(130, 130, cell, *gap, ways), "#D9C39E") + multiply(piece(130, 130, cell, *gap, ways) + piece(130, 130, cell, *gap, ways).move(9, 10), "#C5A896") if gap else ""
    return cast(frame, 14, 20, 12, 0.34) + fill(frame.move(6, 9), "#BFA27C") + clip(frame, paramo(), lines, clip(piece(130, 130, cell, *gap, ways), missing) if gap else "")


def loose(gap: tuple[int, int], move: Point, turn: float, count: int = 7, seed: int = 9, size: float = 1) -> str:
    """One piece of the picture, lifted out."""
    cell = 700 / count
    _, ways = cuts(130, 130, cell, count, seed)
    shape = piece(130, 130, cell, *gap, ways)
    middle = (130 + cell * (gap[0] + 0.5), 130 + cell * (gap[1] + 0.5))
    return group(cast(shape, 12, 18, 8, 0.4), fill(shape.move(5, 8), "#BFA27C"), clip(shape, paramo()), line(shape, WHITE, 3, opacity=0.5), move=move, turn=turn, about=middle, size=size)


@picture("rompecabezas-páramo-1")
def paramo_made() -> str:
    return planks(PINE, 5) + group(puzzle((4, 2)), loose((4, 2), (210, 380), 18), turn=-3, size=0.96, about=(480, 480))


@picture("rompecabezas-páramo-2")
def paramo_box() -> str:
    lid = poly((150, 190), (640, 190), (640, 700), (150, 700), r=20)
    art = group(paramo(), size=0.6, about=(395, 400), move=(-51, -20))
    window = box(186, 226, 418, 330, r=16)
    side = poly((640, 196), (702, 236), (702, 734), (640, 694), r=8)
    lower = poly((156, 700), (640, 700), (702, 738), (216, 738), r=8)
    pieces = loose((2, 5), (470, 250), 30, size=1.35) + loose((4, 3), (270, 150), -24, size=1.35) + loose((1, 3), (520, -40), 60, size=1.35) + loose((5, 1), (250, -10), -40, size=1.35) + loose((3, 4), (-120, 280), 15, size=1.35)
    return (
        flat("lilac") + cast(box(156, 196, 546, 540, r=20), 18, 26, 16, 0.34)
        + fill(side, darker(TEAL, 0.3)) + fill(lower, darker(TEAL, 0.42))
        + solid(lid, TEAL, clip(window, art), fill(words("Páramo", 186, 648, 92, 700, "start"), CREAM), fill(words("100", 604, 648, 58, 600, "end"), SUN), shade=(-10, -12), rim=6)
        + pieces
    )


@picture("rompecabezas-páramo-3")
def paramo_detail() -> str:
    return flat("sand") + group(puzzle(None), move=(-120, -130), size=2.7, about=(610, 620))


# Tangram --------------------------------------------------------------------------------------------------------

Corners = tuple[Point, ...]
TANGRAM: tuple[tuple[Corners, str], ...] = (
    (((0, 0), (4, 0), (2, 2)), TOMATO),
    (((0, 0), (2, 2), (0, 4)), SKY),
    (((2, 2), (3, 1), (4, 2), (3, 3)), SUN),
    (((3, 1), (4, 0), (4, 2)), PLUM),
    (((4, 2), (4, 4), (2, 4)), TEAL),
    (((2, 2), (3, 3), (1, 3)), PINK),
    (((0, 4), (1, 3), (3, 3), (2, 4)), ORANGE),
)
H = 2**0.5 / 2  # half the diagonal of the small square
FOX: tuple[Corners, ...] = (
    ((0, H), (2 * H, 3 * H), (0, 5 * H)),
    ((0, 5 * H), (4 * H, 5 * H), (2 * H, 3 * H)),
    ((0, -H), (H, 0), (0, H), (-H, 0)),
    ((-H, 0), (0, -H), (-H, -2 * H)),
    ((0, 5 * H), (0, 5 * H - 2), (-1, 5 * H - 1)),
    ((H, 0), (0, -H), (H, -2 * H)),
    ((4 * H, 5 * H), (4 * H + 1, 5 * H), (4 * H + 2, 5 * H - 1), (4 * H + 1, 5 * H - 1)),
)
BOAT: tuple[Corners, ...] = (
    ((0.04, 0), (0.04, -2), (2.04, 0)),
    ((-0.04, 0), (-0.04, -2), (-2.04, 0)),
    ((-1, 0.1), (0, 0.1), (0, 1.1), (-1, 1.1)),
    ((-2, 0.1), (-1, 0.1), (-1, 1.1)),
    ((0, -2.08), (0, -4.08), (1, -3.08)),
    ((0, 0.1), (1, 0.1), (0, 1.1)),
    ((1, 0.1), (2, 0.1), (1, 1.1), (0, 1.1)),
)


def tangram(figure: tuple[Corners, ...], left: float, top: float, unit: float, lift: bool = True) -> str:
    """The seven pieces laid out as `figure`."""
    whole = ""
    for index, corners in enumerate(figure):
        colour = TANGRAM[index][1]
        shape = poly(*((left + x * unit, top + y * unit) for x, y in corners), r=unit * 0.07)
        middle = (sum(left + x * unit for x, _ in corners) / len(corners), sum(top + y * unit for _, y in corners) / len(corners))
        shape = shape.size(0.972, about=middle)
        whole += (cast(shape, 9, 13, 6, 0.34) if lift else "") + fill(shape.move(4, 7), darker(colour, 0.3)) + solid(shape, colour, grain(shape.bounds(), colour, index + 3, 7), shade=(-unit * 0.06, -unit * 0.07), rim=5)
    return whole


SQUARE = tuple(corners for corners, _ in TANGRAM)


@picture("tangram-siete-piezas-1")
def tangram_square() -> str:
    frame = box(140, 140, 680, 680, r=36)
    return (
        flat("paper") + group(
            cast(frame, 18, 26, 16, 0.34), solid(frame, OAK, grain(frame.bounds(), OAK, 31, 16), shade=(-14, -16), rim=6),
            fill(box(192, 192, 576, 576, r=14), darker(OAK, 0.34)), tangram(SQUARE, 200, 200, 140, lift=False), turn=6, about=(480, 480),
        )
    )


@picture("tangram-siete-piezas-2")
def tangram_fox() -> str:
    return halo("mint", radius=390) + tangram(FOX, 258, 356, 124)


def silhouette(figure: tuple[Corners, ...], left: float, top: float, unit: float, turn: float, cx: float, cy: float) -> str:
    """A task card: the figure in one colour."""
    sheet = box(cx - 110, cy - 140, 220, 280, r=22)
    shape = "".join(fill(poly(*((left + x * unit, top + y * unit) for x, y in corners)), COCOA) + line(poly(*((left + x * unit, top + y * unit) for x, y in corners)), COCOA, 3) for corners in figure)
    return group(cast(sheet, 10, 14, 8, 0.3), solid(sheet, WHITE, line(box(cx - 94, cy - 124, 188, 248, r=14), SUN, 5), shape, shade=(0, 0), rim=0), turn=turn, about=(cx, cy))


@picture("tangram-siete-piezas-3")
def tangram_boat() -> str:
    return (
        flat("sky") + silhouette(FOX, 124, 208, 25, -10, 170, 226) + silhouette(BOAT, 790, 282, 38, 9, 790, 230)
        + line(curve((120, 800), (220, 780), (320, 800), (420, 820), (520, 800), (620, 780), (720, 800), (820, 818)), WHITE, 12)
        + tangram(BOAT, 480, 640, 132)
    )
