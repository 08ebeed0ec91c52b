"""Small animals that cards and maps show."""

from art.colour import CREAM, INK, LIME, ORANGE, PINK, SKY, SUN, TOMATO, WHITE, darker, lighter
from art.faces import eye, muzzle_smile
from art.paint import clip, fill, flip, group, line, solid
from art.shapes import arc, blob, box, circle, curve, ellipse, leaf, poly, twin


def frog(cx: float, cy: float, size: float) -> str:
    """The open-mouthed frog of the game, sitting with its toes on (cx, cy)."""
    s, green = size, "#4F9E4A"
    legs = "".join(
        solid(
            blob(
                (cx + d * s * 0.42, cy - s * 0.5),
                (cx + d * s * 0.78, cy - s * 0.36),
                (cx + d * s * 0.8, cy - s * 0.06),
                (cx + d * s * 0.5, cy),
            ),
            darker(green, 0.1),
            shade=(-s * 0.05, -s * 0.05),
            rim=3,
        )
        + solid(
            blob(
                (cx + d * s * 0.34, cy - s * 0.1),
                (cx + d * s * 0.92, cy - s * 0.1),
                (cx + d * s * 0.9, cy + s * 0.02),
                (cx + d * s * 0.4, cy + s * 0.03),
            ),
            green,
            shade=(-s * 0.03, -s * 0.05),
            rim=3,
        )
        for d in (-1, 1)
    )
    body = twin(
        (cx, cy - s * 0.9),
        (cx + s * 0.5, cy - s * 0.7),
        (cx + s * 0.6, cy - s * 0.24),
        (cx + s * 0.34, cy),
        (cx, cy + s * 0.01),
        x=cx,
    )
    belly = ellipse(cx, cy - s * 0.2, s * 0.36, s * 0.26)
    head = twin(
        (cx, cy - s * 1.3),
        (cx + s * 0.46, cy - s * 1.24),
        (cx + s * 0.72, cy - s * 0.92),
        (cx + s * 0.52, cy - s * 0.56),
        (cx, cy - s * 0.46),
        x=cx,
    )
    mouth = twin(
        (cx, cy - s * 1.02),
        (cx + s * 0.4, cy - s * 0.98),
        (cx + s * 0.5, cy - s * 0.84),
        (cx + s * 0.3, cy - s * 0.6),
        (cx, cy - s * 0.54),
        x=cx,
    )
    tongue = ellipse(cx, cy - s * 0.58, s * 0.24, s * 0.13)
    eyes = "".join(
        solid(circle(cx + d * s * 0.38, cy - s * 1.27, s * 0.22), green, shade=(-s * 0.04, -s * 0.04), rim=3)
        + fill(circle(cx + d * s * 0.38, cy - s * 1.29, s * 0.15), SUN)
        + eye(cx + d * s * 0.37, cy - s * 1.28, s * 0.085, INK)
        for d in (-1, 1)
    )
    spots = "".join(
        fill(ellipse(cx + x * s, cy + y * s, s * r, s * r * 0.8), darker(green, 0.14))
        for x, y, r in ((-0.56, -0.92, 0.06), (0.58, -0.86, 0.05), (-0.1, -1.2, 0.05), (0.1, -1.17, 0.035))
    )
    return (
        legs
        + solid(body, green, fill(belly, "#CFE39B"), shade=(-s * 0.08, -s * 0.06), rim=4)
        + solid(head, green, spots, shade=(-s * 0.08, -s * 0.07), rim=5)
        + line(mouth, darker(green, 0.3), s * 0.05)
        + fill(mouth, "#5E1F1B")
        + clip(mouth, fill(tongue, PINK))
        + eyes
    )


def macaw(x: float, y: float, s: float) -> str:
    """La guacamaya."""
    body = blob(
        (x - s * 0.1, y - s * 0.92),
        (x + s * 0.3, y - s * 0.72),
        (x + s * 0.3, y - s * 0.1),
        (x + s * 0.05, y + s * 0.35),
        (x - s * 0.28, y + s * 0.05),
        (x - s * 0.36, y - s * 0.56),
    )
    tail = leaf((x, y + s * 0.1), (x + s * 0.16, y + s * 0.98), s * 0.26) + leaf(
        (x + s * 0.08, y + s * 0.1), (x + s * 0.34, y + s * 0.84), s * 0.18
    )
    wing = leaf((x + s * 0.14, y - s * 0.52), (x + s * 0.3, y + s * 0.44), s * 0.36, -s * 0.06)
    feathers = fill(
        leaf((x + s * 0.16, y - s * 0.2), (x + s * 0.3, y + s * 0.44), s * 0.24, -s * 0.04), SUN
    ) + fill(leaf((x + s * 0.2, y + s * 0.02), (x + s * 0.3, y + s * 0.44), s * 0.18, -s * 0.02), SKY)
    beak = blob(
        (x - s * 0.32, y - s * 0.74),
        (x - s * 0.56, y - s * 0.62),
        (x - s * 0.58, y - s * 0.38),
        (x - s * 0.44, y - s * 0.46),
        (x - s * 0.28, y - s * 0.5),
    )
    return (
        fill(tail, SKY)
        + solid(body, TOMATO, shade=(-s * 0.07, -s * 0.07), rim=s * 0.02)
        + fill(ellipse(x - s * 0.2, y - s * 0.64, s * 0.16, s * 0.14), WHITE)
        + fill(beak, INK)
        + line(curve((x - s * 0.5, y - s * 0.62), (x - s * 0.54, y - s * 0.5)), "#6A5B50", s * 0.04)
        + eye(x - s * 0.18, y - s * 0.66, s * 0.06, INK)
        + solid(wing, darker(TOMATO, 0.08), feathers, shade=(-s * 0.04, -s * 0.04), rim=0)
    )


def turtle(x: float, y: float, s: float) -> str:
    """La tortuga."""
    shell = twin(
        (x, y - s * 0.5), (x + s * 0.46, y - s * 0.3), (x + s * 0.62, y + s * 0.2), (x, y + s * 0.26), x=x
    )
    plates = "".join(
        fill(
            poly(
                (x + d * s * 0.3 - s * 0.12, y - s * 0.12),
                (x + d * s * 0.3 + s * 0.12, y - s * 0.12),
                (x + d * s * 0.3 + s * 0.17, y + s * 0.12),
                (x + d * s * 0.3 - s * 0.17, y + s * 0.12),
                r=s * 0.04,
            ),
            "#8A5A33",
        )
        for d in (-1, 0, 1)
    )
    skin = LIME
    return (
        fill(ellipse(x - s * 0.38, y + s * 0.34, s * 0.16, s * 0.15), darker(skin, 0.15))
        + fill(ellipse(x + s * 0.38, y + s * 0.34, s * 0.16, s * 0.15), darker(skin, 0.15))
        + solid(
            blob(
                (x - s * 0.5, y + s * 0.1),
                (x - s * 0.62, y - s * 0.26),
                (x - s * 0.94, y - s * 0.28),
                (x - s * 0.96, y + s * 0.04),
                (x - s * 0.6, y + s * 0.24),
            ),
            skin,
            shade=(-s * 0.03, -s * 0.05),
            rim=0,
        )
        + eye(x - s * 0.82, y - s * 0.12, s * 0.055, INK)
        + line(
            curve((x - s * 0.93, y + s * 0.02), (x - s * 0.84, y + s * 0.07), (x - s * 0.74, y + s * 0.02)),
            INK,
            s * 0.035,
        )
        + solid(shell, "#B27A45", plates, shade=(-s * 0.08, -s * 0.07), rim=s * 0.03)
        + line(
            curve((x - s * 0.6, y + s * 0.18), (x, y + s * 0.25), (x + s * 0.6, y + s * 0.18)),
            CREAM,
            s * 0.08,
        )
    )


def butterfly(x: float, y: float, s: float, one: str = SKY, two: str = PINK) -> str:
    """La mariposa."""
    wing = solid(
        blob((x, y), (x + s * 0.24, y - s * 0.62), (x + s * 0.78, y - s * 0.7), (x + s * 0.76, y - s * 0.18)),
        one,
        fill(circle(x + s * 0.5, y - s * 0.42, s * 0.16), WHITE),
        fill(circle(x + s * 0.5, y - s * 0.42, s * 0.08), INK),
        shade=(-s * 0.06, -s * 0.06),
        rim=s * 0.03,
    )
    low = solid(
        blob((x, y), (x + s * 0.6, y + s * 0.02), (x + s * 0.56, y + s * 0.52), (x + s * 0.18, y + s * 0.56)),
        two,
        fill(circle(x + s * 0.36, y + s * 0.28, s * 0.1), SUN),
        shade=(-s * 0.06, -s * 0.06),
        rim=s * 0.03,
    )
    feelers = line(
        curve((x, y - s * 0.3), (x + s * 0.08, y - s * 0.6), (x + s * 0.24, y - s * 0.78)), INK, s * 0.035
    )
    half = low + wing + feelers
    return (
        half
        + flip(half, x=x)
        + fill(ellipse(x, y - s * 0.02, s * 0.09, s * 0.42), INK)
        + fill(circle(x, y - s * 0.38, s * 0.11), INK)
    )


def manatee(x: float, y: float, s: float) -> str:
    """El manatí."""
    grey = "#8FA3AE"
    body = blob(
        (x - s * 0.86, y - s * 0.12),
        (x - s * 0.5, y - s * 0.44),
        (x + s * 0.2, y - s * 0.4),
        (x + s * 0.6, y - s * 0.1),
        (x + s * 0.56, y + s * 0.12),
        (x, y + s * 0.36),
        (x - s * 0.6, y + s * 0.3),
    )
    paddle = ellipse(x + s * 0.78, y + s * 0.02, s * 0.2, s * 0.32)
    return (
        fill(paddle, darker(grey, 0.08))
        + solid(body, grey, shade=(-s * 0.07, -s * 0.08), rim=s * 0.03)
        + solid(
            leaf((x - s * 0.3, y + s * 0.12), (x - s * 0.12, y + s * 0.56), s * 0.2),
            darker(grey, 0.1),
            shade=(-3, -3),
            rim=0,
        )
        + fill(ellipse(x - s * 0.74, y + s * 0.08, s * 0.18, s * 0.16), lighter(grey, 0.35))
        + fill(circle(x - s * 0.8, y + s * 0.02, s * 0.03), INK)
        + fill(circle(x - s * 0.7, y + s * 0.01, s * 0.03), INK)
        + eye(x - s * 0.54, y - s * 0.16, s * 0.055, INK)
        + line(
            curve((x - s * 0.84, y + s * 0.14), (x - s * 0.74, y + s * 0.19), (x - s * 0.64, y + s * 0.13)),
            INK,
            s * 0.03,
        )
    )


def jaguar_face(x: float, y: float, s: float) -> str:
    """El jaguar, looking straight at you."""
    fur = SUN
    head = twin(
        (x, y - s * 0.6),
        (x + s * 0.48, y - s * 0.48),
        (x + s * 0.66, y),
        (x + s * 0.4, y + s * 0.5),
        (x, y + s * 0.6),
        x=x,
    )
    rosettes = "".join(
        line(arc((x + dx * s, y + dy * s), s * 0.09, a, a + 250), "#7A4A22", s * 0.055)
        for dx, dy, a in (
            (-0.38, -0.22, 40),
            (0.38, -0.22, 200),
            (0, -0.42, 120),
            (-0.48, 0.1, 300),
            (0.48, 0.1, 90),
            (-0.2, -0.4, 10),
            (0.2, -0.4, 250),
        )
    )
    ears = "".join(
        solid(
            circle(x + d * s * 0.46, y - s * 0.48, s * 0.2),
            fur,
            fill(circle(x + d * s * 0.46, y - s * 0.46, s * 0.1), "#7A4A22"),
            shade=(-3, -3),
            rim=0,
        )
        for d in (-1, 1)
    )
    return (
        ears
        + solid(
            head,
            fur,
            rosettes,
            fill(ellipse(x, y + s * 0.3, s * 0.34, s * 0.26), WHITE),
            shade=(-s * 0.07, -s * 0.07),
            rim=s * 0.03,
        )
        + eye(x - s * 0.24, y - s * 0.08, s * 0.075, INK)
        + eye(x + s * 0.24, y - s * 0.08, s * 0.075, INK)
        + fill(
            poly((x - s * 0.12, y + s * 0.12), (x + s * 0.12, y + s * 0.12), (x, y + s * 0.24), r=s * 0.03),
            "#A8473F",
        )
        + muzzle_smile(x, y + s * 0.22, s * 0.34, s * 0.12, INK, s * 0.035)
    )


def toucan(x: float, y: float, s: float) -> str:
    """El tucán."""
    body = blob(
        (x + s * 0.05, y - s * 0.74),
        (x + s * 0.36, y - s * 0.5),
        (x + s * 0.42, y + s * 0.2),
        (x + s * 0.16, y + s * 0.6),
        (x - s * 0.16, y + s * 0.3),
        (x - s * 0.16, y - s * 0.4),
    )
    beak = blob(
        (x - s * 0.06, y - s * 0.66),
        (x - s * 0.5, y - s * 0.74),
        (x - s * 0.9, y - s * 0.42),
        (x - s * 0.86, y - s * 0.26),
        (x - s * 0.4, y - s * 0.34),
        (x - s * 0.06, y - s * 0.34),
        ease=0.8,
    )
    return (
        fill(leaf((x + s * 0.2, y + s * 0.4), (x + s * 0.34, y + s * 0.95), s * 0.24), INK)
        + solid(
            body,
            "#2E2A33",
            fill(ellipse(x - s * 0.02, y - s * 0.2, s * 0.2, s * 0.26), SUN),
            shade=(-s * 0.06, -s * 0.05),
            rim=s * 0.02,
        )
        + solid(
            beak,
            ORANGE,
            fill(box(x - s * 1.0, y - s * 0.8, s * 0.22, s * 0.6), INK),
            fill(leaf((x - s * 0.1, y - s * 0.44), (x - s * 0.72, y - s * 0.44), s * 0.1), SUN),
            shade=(-s * 0.02, -s * 0.07),
            rim=s * 0.02,
        )
        + fill(circle(x + s * 0.08, y - s * 0.52, s * 0.13), SKY)
        + eye(x + s * 0.08, y - s * 0.52, s * 0.075, INK)
    )


def golden_frog(x: float, y: float, s: float) -> str:
    """La rana dorada."""
    return group(frog(x, y + s * 0.55, s * 0.82), size=1)
