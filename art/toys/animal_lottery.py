"""Lotería de animales: boards and cards."""

from art.colour import COCOA, CREAM, SUN, TEAL, TOMATO, WHITE, darker, lighter
from art.gallery import picture
from art.lettering import words
from art.paint import cast, clip, fill, group, line, shadow, solid
from art.parts.animals import butterfly, golden_frog, jaguar_face, macaw, manatee, toucan, turtle
from art.scenes import flat, plain
from art.shapes import box, circle, poly

ANIMALS = (macaw, turtle, jaguar_face, butterfly, toucan, manatee, golden_frog)
NAMES = ("guacamaya", "tortuga", "jaguar", "mariposa", "tucán", "manatí", "rana")
CARD_TINTS = ("#FBE3B0", "#CFE7DA", "#F7D3C4", "#D5E6F3", "#F8DCE4", "#CBE6EC", "#E6DDEE")


def card(cx: float, cy: float, width: float, index: int, turn: float = 0, named: bool = True) -> str:
    """One caller's card: animal and name on a tinted ground."""
    w, h = width, width * 1.32
    sheet = box(cx - w / 2, cy - h / 2, w, h, r=w * 0.1)
    picture_box = box(cx - w * 0.43, cy - h * 0.44, w * 0.86, h * (0.68 if named else 0.88), r=w * 0.06)
    drawn = clip(
        picture_box,
        fill(picture_box, CARD_TINTS[index]),
        ANIMALS[index](cx, cy - h * (0.08 if named else 0), w * 0.36),
    )
    label = fill(words(NAMES[index], cx, cy + h * 0.4, w * 0.15, 600), COCOA) if named else ""
    return group(
        cast(sheet, 8, 12, 7, 0.3) + solid(sheet, WHITE, drawn, label, shade=(0, 0), rim=0),
        turn=turn,
        about=(cx, cy),
    )


@picture("loteria-de-animales-1")
def lottery_board() -> str:
    board = box(150, 110, 600, 700, r=30)
    cells = "".join(
        clip(
            box(186 + c * 268, 150 + r * 212, 252, 196, r=18),
            fill(box(186 + c * 268, 150 + r * 212, 252, 196), CARD_TINTS[r * 2 + c]),
            ANIMALS[r * 2 + c](312 + c * 268, 252 + r * 212, 92),
        )
        for r in range(3)
        for c in range(2)
    )
    chips = "".join(
        cast(circle(x, y, 44), 8, 12, 6, 0.35)
        + solid(circle(x, y, 46), c, line(circle(x, y, 32), lighter(c, 0.4), 5), shade=(-8, -9), rim=4)
        for x, y, c in ((386, 306, TOMATO), (654, 720, TEAL), (830, 700, SUN), (850, 800, TOMATO))
    )
    return (
        flat("butter")
        + group(
            cast(board, 16, 22, 14, 0.32) + solid(board, TOMATO, cells, shade=(-10, -12), rim=6),
            turn=-4,
            about=(480, 480),
        )
        + card(792, 250, 200, 6, 12)
        + chips
    )


@picture("loteria-de-animales-2")
def lottery_box() -> str:
    fan = "".join(card(612 + n * 80, 446 + n * n * 16, 220, i, -14 + n * 18) for n, i in enumerate((1, 3, 4)))
    lid = poly((60, 230), (450, 200), (478, 720), (88, 770), r=22)
    side = poly((450, 200), (504, 232), (530, 728), (478, 720), r=8)
    return (
        plain("mint", 640)
        + shadow(310, 768, 280, 40)
        + shadow(720, 726, 210, 30)
        + fan
        + fill(side, darker(TOMATO, 0.25))
        + solid(
            lid,
            TOMATO,
            group(
                fill(circle(270, 476, 146), CREAM),
                jaguar_face(270, 474, 156),
                fill(words("Lotería", 264, 310, 88, 700), CREAM),
                fill(words("de animales", 276, 702, 54, 600), SUN),
                turn=-4.4,
                about=(270, 490),
            ),
            shade=(-12, -14),
            rim=6,
        )
    )


@picture("loteria-de-animales-3")
def lottery_card() -> str:
    return (
        flat("peach") + card(210, 330, 300, 2, -16) + card(770, 640, 300, 5, 14) + card(480, 480, 540, 0, 3)
    )
