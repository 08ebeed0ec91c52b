"""Plants and country that come back in several drawings: frailejones, leaves, palms, flowers, branches."""

from art.colour import CEDAR, LEAF, SUN, TOMATO, darker, lighter
from art.paint import fill, line, solid
from art.shapes import Path, Point, box, circle, curve, ellipse, leaf, polar, poly, twin_poly

SILVER = "#B9C7A0"


def frailejon(x: float, y: float, size: float, bloom: bool = True) -> str:
    """The plant of the páramo: a coat of dry leaves, a silver rosette, yellow flowers. (x, y) is its foot."""
    s = size
    trunk = twin_poly((x + s * 0.13, y - s * 0.95), (x + s * 0.2, y), x=x, r=s * 0.06)
    coat = "".join(
        line(
            poly(
                (x + (n % 5 - 2) * s * 0.08, y - s * 0.9 + (n // 5) * s * 0.17),
                (x + (n % 5 - 2) * s * 0.1, y - s * 0.78 + (n // 5) * s * 0.17),
                closed=False,
            ),
            "#7B5A39",
            s * 0.03,
        )
        for n in range(25)
    )
    back = "".join(
        fill(leaf((x, y - s * 0.92), polar((x, y - s * 0.92), s * 0.56, a), s * 0.17), darker(SILVER, 0.22))
        for a in (-172, -8, -144, -36, -115, -65)
    )
    front = "".join(
        solid(
            leaf((x, y - s * 0.88), polar((x, y - s * 0.88), s * 0.5, a), s * 0.17),
            SILVER,
            shade=(-s * 0.02, -s * 0.03),
            rim=0,
        )
        for a in (170, 10, -158, -22, -128, -52, -90)
    )
    flowers = ""
    if bloom:
        for dx, dy in ((-0.3, -1.5), (0, -1.66), (0.3, -1.48)):
            flowers += line(
                curve((x, y - s * 0.95), (x + dx * s * 0.5, y - s * 1.3), (x + dx * s, y + dy * s)),
                LEAF,
                s * 0.035,
            )
            flowers += fill(circle(x + dx * s, y + dy * s, s * 0.1), SUN) + fill(
                circle(x + dx * s, y + dy * s, s * 0.045), "#B9701F"
            )
    return flowers + solid(trunk, "#A47C4F", coat, shade=(-s * 0.08, 0), rim=0) + back + front


def palm(x: float, y: float, size: float, colour: str = LEAF) -> str:
    """A wax palm: a long pale trunk with a small crown."""
    s = size
    parts = [line(curve((x, y), (x + s * 0.03, y - s * 0.6), (x, y - s * 1.3)), "#E6D8B8", s * 0.07)]
    for a in (-170, -140, -90, -40, -10, 20, 160):
        tip = polar((x, y - s * 1.3), s * 0.46, a)
        parts.append(fill(leaf((x, y - s * 1.3), (tip[0], tip[1] + s * 0.1), s * 0.12, s * 0.03), colour))
    return "".join(parts)


def big_leaf(base: Point, tip: Point, width: float, colour: str = LEAF, lean: float = 0) -> str:
    """A tropical leaf with its veins."""
    parts = [line(curve(base, tip), darker(colour, 0.18), 4)]
    dx, dy = tip[0] - base[0], tip[1] - base[1]
    for step in range(1, 6):
        at = (base[0] + dx * step / 6.4, base[1] + dy * step / 6.4)
        for side in (-1, 1):
            parts.append(
                line(
                    poly(
                        at,
                        (at[0] + dx * 0.1 - dy * 0.2 * side, at[1] + dy * 0.1 + dx * 0.2 * side),
                        closed=False,
                    ),
                    darker(colour, 0.14),
                    3,
                )
            )
    return solid(leaf(base, tip, width, lean), colour, *parts, shade=(-width * 0.08, -width * 0.1), rim=3)


def branch(path: Path, width: float, colour: str = CEDAR) -> str:
    """A rough branch."""
    return (
        line(path, darker(colour, 0.25), width + 6)
        + line(path, colour, width)
        + line(path.move(-2, -width * 0.24), lighter(colour, 0.18), width * 0.2, dash="60 34 20 50")
    )


def heliconia(x: float, y: float, size: float) -> str:
    """A hanging red flower of many beaks; (x, y) is where it hangs from."""
    s = size
    parts = [line(curve((x, y), (x + s * 0.06, y + s * 0.5), (x, y + s)), "#B4413A", s * 0.05)]
    for n in range(5):
        yy = y + s * (0.12 + n * 0.19)
        side = 1 if n % 2 else -1
        parts.append(
            solid(
                leaf((x, yy), (x + side * s * 0.34, yy + s * 0.1), s * 0.18, -side * s * 0.03),
                TOMATO,
                shade=(-4, -5),
                rim=2,
            )
        )
        parts.append(
            fill(
                leaf((x + side * s * 0.16, yy + s * 0.03), (x + side * s * 0.36, yy + s * 0.1), s * 0.06), SUN
            )
        )
    return "".join(parts)


def round_tree(x: float, y: float, size: float, colour: str = LEAF) -> str:
    """A tree like a lollipop, for toy landscapes."""
    s = size
    return solid(
        box(x - s * 0.07, y - s * 0.6, s * 0.14, s * 0.6), CEDAR, shade=(-s * 0.05, 0), rim=0
    ) + solid(circle(x, y - s * 0.86, s * 0.42), colour, shade=(-s * 0.09, -s * 0.1), rim=3)


def tuft(x: float, y: float, size: float, colour: str = LEAF) -> str:
    """Straw grass of the highlands."""
    return "".join(
        fill(leaf((x, y), polar((x, y), size * (1 - abs(a + 90) / 160), a), size * 0.12), colour)
        for a in (-140, -116, -90, -64, -40)
    )


def cloud_forest(y: float, colour: str) -> str:
    """A row of tree tops along y."""
    return "".join(fill(circle(x, y + (x * 7 % 26), 46 + x * 3 % 20), colour) for x in range(-20, 1000, 58))


def water(cx: float, cy: float, rx: float, ry: float, colour: str = "#7DB9C9") -> str:
    """A pond with a bright line."""
    return fill(ellipse(cx, cy, rx, ry), colour) + line(
        curve((cx - rx * 0.5, cy), (cx - rx * 0.2, cy - ry * 0.16), (cx + rx * 0.2, cy)),
        lighter(colour, 0.5),
        6,
    )
