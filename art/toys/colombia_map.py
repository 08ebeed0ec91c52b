"""Rompecabezas del mapa de Colombia: six regions in thick wood."""

from art.colour import (
    CEDAR,
    COCOA,
    CREAM,
    INK,
    LIME,
    OAK,
    ORANGE,
    PINE,
    SKY,
    SUN,
    TEAL,
    TOMATO,
    WHITE,
    darker,
    lighter,
)
from art.gallery import picture
from art.lettering import words
from art.materials import grain
from art.nature import palm
from art.paint import cast, fill, group, line, solid
from art.parts.animals import toucan
from art.scenes import flat
from art.shapes import Path, Point, blob, box, circle, curve, ellipse, leaf, poly, twin

# Longitude and latitude, simplified by hand to what a jigsaw blade can follow. Borders that two regions share are
# written once and walked in opposite directions.
Coast = tuple[tuple[float, float], ...]
CARIBBEAN_SEA: Coast = (
    (-77.3, 8.6),
    (-76.95, 8.2),
    (-76.75, 8.6),
    (-76.2, 9.1),
    (-75.7, 9.5),
    (-75.65, 10.3),
    (-75.2, 10.8),
    (-74.8, 11.1),
    (-74.2, 11.35),
    (-73.3, 11.35),
    (-72.5, 11.75),
    (-71.8, 12.4),
    (-71.2, 12.1),
    (-71.8, 11.6),
    (-72.4, 11.1),
    (-72.9, 10.5),
    (-73.1, 9.7),
    (-73.2, 9.2),
)
CARIBBEAN_ANDES: Coast = ((-73.2, 9.2), (-73.9, 8.5), (-74.7, 8.2), (-75.5, 7.8), (-76.4, 7.7), (-76.9, 7.8))
PANAMA: Coast = ((-76.9, 7.8), (-77.3, 8.6))
ANDES_EAST: Coast = ((-73.2, 9.2), (-72.8, 8.9), (-72.4, 8.3), (-72.5, 7.5), (-72.0, 7.0))
ANDES_ORINOCO: Coast = ((-72.0, 7.0), (-72.6, 6.0), (-73.0, 5.1), (-73.6, 4.2), (-74.2, 3.1))
ANDES_AMAZON: Coast = ((-74.2, 3.1), (-75.1, 2.2), (-76.0, 1.4), (-76.6, 0.9), (-77.2, 0.4))
ANDES_SOUTH: Coast = ((-77.2, 0.4), (-77.7, 0.8), (-78.1, 1.0))
ANDES_PACIFIC: Coast = (
    (-78.1, 1.0),
    (-77.4, 1.9),
    (-76.7, 2.8),
    (-76.3, 3.8),
    (-76.0, 4.8),
    (-75.9, 5.9),
    (-76.2, 6.9),
    (-76.9, 7.8),
)
PACIFIC_SEA: Coast = (
    (-78.1, 1.0),
    (-78.9, 1.4),
    (-78.6, 2.4),
    (-77.8, 2.7),
    (-77.5, 3.4),
    (-77.2, 4.1),
    (-77.4, 4.9),
    (-77.4, 5.8),
    (-77.4, 6.6),
    (-77.8, 7.2),
    (-77.4, 7.6),
    (-76.9, 7.8),
)
ORINOCO_EAST: Coast = (
    (-72.0, 7.0),
    (-70.7, 7.1),
    (-69.6, 6.2),
    (-67.5, 6.2),
    (-67.8, 5.2),
    (-67.7, 4.3),
    (-67.3, 3.4),
    (-67.8, 2.8),
)
ORINOCO_AMAZON: Coast = ((-67.8, 2.8), (-69.2, 2.9), (-70.6, 2.6), (-71.9, 2.9), (-73.1, 2.7), (-74.2, 3.1))
AMAZON_EAST: Coast = (
    (-67.8, 2.8),
    (-67.2, 2.2),
    (-66.9, 1.2),
    (-67.6, 1.9),
    (-68.3, 1.8),
    (-69.8, 1.7),
    (-69.6, 0.8),
    (-70.1, 0.3),
    (-69.7, -0.6),
    (-69.5, -1.4),
    (-69.9, -4.2),
    (-70.6, -3.8),
    (-70.2, -2.8),
    (-71.3, -2.3),
    (-72.6, -2.4),
    (-73.4, -1.7),
    (-74.4, -0.8),
    (-75.4, -0.1),
    (-76.4, 0.3),
    (-77.2, 0.4),
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
ANDES = outline(
    (CARIBBEAN_ANDES, -1),
    (ANDES_EAST, 1),
    (ANDES_ORINOCO, 1),
    (ANDES_AMAZON, 1),
    (ANDES_SOUTH, 1),
    (ANDES_PACIFIC, 1),
)
PACIFIC = outline((PACIFIC_SEA, 1), (ANDES_PACIFIC, -1))
ORINOCO = outline((ORINOCO_EAST, 1), (ORINOCO_AMAZON, 1), (ANDES_ORINOCO, -1))
AMAZON = outline((AMAZON_EAST, 1), (ANDES_AMAZON, -1), (ORINOCO_AMAZON, -1))


def peaks(x: float, y: float, s: float) -> str:
    """Three snowy mountains."""
    parts = ""
    for dx, h, tone in ((-0.7, 0.9, "#5C7F73"), (0.7, 0.8, "#5C7F73"), (0, 1.3, "#3F6A60")):
        parts += fill(
            poly((x + dx * s, y - h * s), (x + (dx + 0.72) * s, y), (x + (dx - 0.72) * s, y), r=s * 0.1), tone
        )
        parts += fill(
            poly(
                (x + dx * s, y - h * s),
                (x + (dx + 0.22) * s, y - (h - 0.42) * s),
                (x + dx * s, y - (h - 0.32) * s),
                (x + (dx - 0.22) * s, y - (h - 0.42) * s),
                r=s * 0.06,
            ),
            WHITE,
        )
    return parts


def small_condor(x: float, y: float, s: float) -> str:
    """A condor far up."""
    return fill(
        blob(
            (x, y),
            (x - s * 0.5, y - s * 0.3),
            (x - s, y - s * 0.1),
            (x - s * 0.55, y - s * 0.04),
            (x, y + s * 0.22),
            (x + s * 0.55, y - s * 0.04),
            (x + s, y - s * 0.1),
            (x + s * 0.5, y - s * 0.3),
        ),
        INK,
    ) + fill(circle(x, y - s * 0.02, s * 0.09), WHITE)


def whale(x: float, y: float, s: float) -> str:
    """A humpback off the Pacific coast."""
    body = blob(
        (x - s * 0.8, y - s * 0.06),
        (x - s * 0.3, y - s * 0.46),
        (x + s * 0.4, y - s * 0.24),
        (x + s * 0.86, y - s * 0.5),
        (x + s * 0.62, y),
        (x, y + s * 0.34),
        (x - s * 0.62, y + s * 0.26),
    )
    return (
        solid(
            body,
            SKY,
            fill(ellipse(x - s * 0.5, y + s * 0.24, s * 0.5, s * 0.18), "#CFE3EF"),
            shade=(-4, -4),
            rim=2,
        )
        + fill(circle(x - s * 0.5, y - s * 0.06, s * 0.06), INK)
        + line(
            curve((x - s * 0.3, y - s * 0.54), (x - s * 0.36, y - s * 0.8), (x - s * 0.54, y - s * 0.86)),
            WHITE,
            s * 0.09,
        )
        + line(
            curve((x - s * 0.3, y - s * 0.54), (x - s * 0.22, y - s * 0.8), (x - s * 0.06, y - s * 0.84)),
            WHITE,
            s * 0.09,
        )
    )


def sombrero(x: float, y: float, s: float) -> str:
    """A sombrero vueltiao."""
    brim = ellipse(x, y, s, s * 0.34)
    crown = twin((x, y - s * 0.62), (x + s * 0.4, y - s * 0.54), (x + s * 0.48, y), (x, y + s * 0.1), x=x)
    return solid(
        brim, CREAM, line(ellipse(x, y, s * 0.78, s * 0.24), COCOA, s * 0.08), shade=(-4, -5), rim=0
    ) + solid(
        crown,
        CREAM,
        "".join(
            line(
                curve((x - s * 0.5, y - s * h), (x, y - s * (h - 0.1)), (x + s * 0.5, y - s * h)),
                COCOA,
                s * 0.07,
            )
            for h in (0.08, 0.24, 0.42)
        ),
        shade=(-4, -3),
        rim=0,
    )


def rainforest(x: float, y: float, s: float) -> str:
    """A toucan among leaves."""
    leaves = "".join(
        fill(leaf((x + dx * s, y + s * 0.9), (x + tx * s, y + ty * s), s * 0.4), c)
        for dx, tx, ty, c in (
            (-0.2, -1.3, 0.3, "#2F7A4B"),
            (0.2, 1.3, 0.2, "#2F7A4B"),
            (-0.1, -0.9, -0.4, "#3F8F52"),
            (0.1, 0.9, -0.5, "#3F8F52"),
        )
    )
    return leaves + toucan(x, y + s * 0.1, s * 0.8)


def savanna(x: float, y: float, s: float) -> str:
    """A capybara, a palm and the sun of the plains."""
    return (
        fill(circle(x + s * 0.5, y - s * 0.6, s * 0.36), TOMATO)
        + palm(x - s * 0.9, y + s * 0.5, s * 1.05, "#2F7A4B")
        + fill(box(x - s * 0.34, y + s * 0.1, s * 1.1, s * 0.52, r=s * 0.24), "#9C6B3F")
        + fill(box(x + s * 0.5, y - s * 0.14, s * 0.5, s * 0.4, r=s * 0.14), "#9C6B3F")
        + fill(circle(x + s * 0.76, y, s * 0.045), INK)
        + fill(circle(x + s * 0.58, y - s * 0.14, s * 0.08), "#7E5430")
        + "".join(
            fill(box(x + dx * s, y + s * 0.5, s * 0.15, s * 0.26, r=s * 0.05), "#7E5430")
            for dx in (-0.24, 0.06, 0.5)
        )
    )


def region(index: int, move: Point = (0, 0), turn: float = 0) -> str:
    """One thick piece of the map with what is painted on it."""
    shape, colour, (px, py, size), extra = REGIONS[index]
    left, top, right, bottom = shape.bounds()
    middle = ((left + right) / 2, (top + bottom) / 2)
    piece = fill(shape.move(7, 11), darker(colour, 0.34)) + solid(
        shape, colour, extra(px, py, size), shade=(-9, -10), rim=6
    )
    return group(cast(shape, 10, 16, 8, 0.3), piece, move=move, turn=turn, about=middle)


def andes_scene(x: float, y: float, s: float) -> str:
    """A river down the chain of mountains, coffee in the south, a condor above."""
    river = line(
        curve(
            (x - 46, y + 190),
            (x - 20, y + 110),
            (x - 44, y + 40),
            (x - 8, y - 60),
            (x - 22, y - 150),
            (x + 4, y - 190),
        ),
        "#5FB0D0",
        9,
    )
    berries = "".join(
        fill(circle(x - 72 + dx, y + 150 + dy, 8), TOMATO) for dx, dy in ((0, 0), (15, 7), (3, 15))
    )
    coffee = (
        fill(leaf((x - 66, y + 180), (x - 30, y + 156), 17), "#2F7A4B")
        + fill(leaf((x - 70, y + 182), (x - 106, y + 170), 17), "#2F7A4B")
        + berries
    )
    houses = "".join(
        fill(box(x + dx, y + dy, 20, 16), WHITE)
        + fill(poly((x + dx - 5, y + dy + 1), (x + dx + 25, y + dy + 1), (x + dx + 10, y + dy - 13)), TOMATO)
        for dx, dy in ((26, 40), (50, 48), (-66, 84))
    )
    return (
        river
        + peaks(x + 26, y, s)
        + small_condor(x + 48, y - 92, 34)
        + peaks(x - 44, y + 62, s * 0.5)
        + peaks(x - 52, y - 60, s * 0.5)
        + coffee
        + houses
    )


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
    return group(
        cast(disc, 8, 12, 7, 0.3),
        fill(disc.move(6, 9), darker(SKY, 0.3)),
        solid(
            disc,
            SKY,
            scene,
            line(curve((150, 196), (176, 188), (206, 198), (240, 190)), WHITE, 5),
            shade=(-8, -9),
            rim=5,
        ),
        move=move,
    )


def map_tray(sunk: bool = False) -> str:
    """The wooden frame; `sunk` shows the empty bed."""
    frame = box(90, 60, 780, 840, r=40)
    bed = "".join(fill(shape, darker(PINE, 0.2)) for shape, *_ in REGIONS) if sunk else ""
    bed += fill(circle(196, 160, 54), darker(PINE, 0.2)) if sunk else ""
    return (
        cast(frame, 18, 26, 16, 0.34)
        + solid(frame, OAK, grain(frame.bounds(), OAK, 17, 20), shade=(-14, -16), rim=6)
        + solid(
            box(132, 102, 696, 756, r=20),
            lighter(PINE, 0.35),
            grain((132, 102, 828, 858), lighter(PINE, 0.35), 23, 14),
            bed,
            shade=(10, 10),
            rim=0,
        )
    )


@picture("Mapa de Colombia (armado)")
def map_whole() -> str:
    pieces = islands() + "".join(region(n) for n in range(5))
    return flat("mint") + group(
        map_tray(),
        pieces,
        fill(words("Colombia", 290, 810, 64, 600), CEDAR),
        size=0.94,
        turn=-2,
        about=(480, 480),
    )


@picture("Mapa de Colombia (por piezas)")
def map_apart() -> str:
    return flat("peach") + group(
        region(0, (30, -70), 5),
        region(1, (-120, -20), -12),
        region(2, (-46, 10), -3),
        region(3, (110, -70), 9),
        region(4, (66, 60), -6),
        islands((40, 66)),
        size=1.1,
        about=(480, 480),
    )


@picture("Mapa de Colombia (detalle)")
def map_detail() -> str:
    return flat("mint") + group(
        map_tray(), "".join(region(n) for n in range(5)), move=(60, 50), size=2.6, about=(420, 430)
    )
