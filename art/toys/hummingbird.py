"""Colibrí de peluche."""

from art.colour import COCOA, INK, LEAF, PINK, PLUM, SUN, TEAL, TOMATO, WHITE, darker, lighter, mix
from art.faces import cheeks, eye
from art.gallery import picture
from art.nature import big_leaf
from art.paint import fill, group, line, solid
from art.scenes import flat, halo
from art.shapes import Path, arc, blob, circle, curve, leaf, polar, poly


def scales(area: Path, colour: str, size: float, fall: float) -> str:
    """Rows of felt feathers; clip them to the body."""
    left, top, right, bottom = area.bounds()
    parts, row, y = "", 0, top
    while y < bottom + size:
        x = left - (size / 2 if row % 2 else 0)
        while x < right + size:
            parts += line(arc((x, y), size * 0.56, 20, 160), colour, 4, opacity=0.6)
            x += size
        y, row = y + size * 0.62, row + 1
    left, top, right, bottom = area.bounds()
    return group(parts, turn=fall, about=((left + right) / 2, (top + bottom) / 2))


def hummingbird(turn: float = 0) -> str:
    """The bird in the air, beak to the left."""
    green, blue = "#2FA06B", "#2C6FB7"
    body = blob(
        (330, 350), (420, 320), (520, 400), (600, 520), (640, 650), (560, 640), (430, 590), (330, 480)
    )
    throat = blob((322, 402), (390, 430), (440, 520), (420, 572), (350, 500))
    belly = blob((420, 560), (470, 520), (560, 590), (600, 650), (540, 640))
    head = circle(352, 370, 92)
    beak = poly((282, 356), (70, 318), (66, 326), (280, 392), r=4)
    tail = (
        solid(leaf((600, 610), (760, 830), 66), blue, shade=(-6, -6), rim=3)
        + solid(leaf((604, 600), (812, 770), 62), TEAL, shade=(-6, -6), rim=3)
        + solid(leaf((590, 620), (690, 850), 60), PLUM, shade=(-6, -6), rim=3)
    )

    def wing(dx: float, tone: str, seed: int) -> str:
        feathers = "".join(
            solid(
                leaf((470 + dx, 430), polar((470 + dx, 430), 390 - n * 34, -96 + n * 15), 92 - n * 6),
                mix(tone, blue, n / 6),
                line(
                    curve((470 + dx, 430), polar((470 + dx, 430), 350 - n * 34, -96 + n * 15)),
                    lighter(tone, 0.3),
                    4,
                    dash="16 10",
                ),
                shade=(-6, -7),
                rim=3,
            )
            for n in range(5)
        )
        del seed
        return feathers + solid(
            blob((400 + dx, 420), (460 + dx, 340), (560 + dx, 380), (560 + dx, 450), (470 + dx, 490)),
            green,
            shade=(-8, -8),
            rim=4,
        )

    return group(
        group(wing(-70, lighter(TEAL, 0.2), 3), turn=-34, about=(420, 430), opacity=1),
        tail,
        solid(beak, COCOA, shade=(0, -6), rim=0),
        solid(
            body,
            green,
            scales(body, darker(green, 0.22), 46, 30),
            fill(belly, "#DDEBD2"),
            shade=(-20, -22),
            rim=6,
        ),
        solid(head, green, scales(head, darker(green, 0.22), 40, 10), shade=(-14, -16), rim=5),
        solid(throat, PINK, scales(throat, darker(PINK, 0.2), 34, 20), shade=(-8, -8), rim=0),
        fill(circle(330, 352, 27), WHITE),
        eye(328, 353, 20, INK),
        cheeks(372, 398, 0.1, 14),
        wing(0, TEAL, 5),
        turn=turn,
        about=(480, 480),
    )


@picture("peluche-colibri-1")
def hummingbird_plain() -> str:
    return (
        halo("rose", radius=370, cy=500)
        + line(poly((470, -10), (470, 420), closed=False), COCOA, 4)
        + group(hummingbird(), move=(16, 0))
    )


@picture("peluche-colibri-2")
def hummingbird_flower() -> str:
    petals_ = "".join(
        solid(
            leaf((230, 480), polar((230, 480), 210, a), 96),
            TOMATO,
            line(curve(polar((230, 480), 30, a), polar((230, 480), 160, a)), darker(TOMATO, 0.2), 5),
            shade=(-8, -8),
            rim=4,
        )
        for a in (-150, -96, -40, 20, 76, 130, 184)
    )
    stem = line(curve((230, 520), (210, 720), (250, 980)), "#4C8A4E", 22)
    return (
        flat("mint")
        + stem
        + big_leaf((222, 760), (60, 640), 96, LEAF, 10)
        + big_leaf((236, 840), (420, 770), 90, "#79AE57", -10)
        + petals_
        + solid(
            circle(230, 480, 62),
            SUN,
            *(
                fill(circle(*polar((230, 480), r, a), 7), "#B9701F")
                for r in (20, 42)
                for a in range(0, 360, 45)
            ),
            shade=(-10, -10),
            rim=4,
        )
        + group(hummingbird(), move=(206, -40), size=0.8, about=(480, 480))
    )


@picture("peluche-colibri-3")
def hummingbird_detail() -> str:
    return flat("rose") + group(hummingbird(), move=(170, 210), size=2.1, about=(420, 400))
