"""Títeres de dedo: five crocheted friends."""

from art.colour import COCOA, CREAM, INK, PINK, PLUM, SUN, WHITE, darker
from art.faces import cheeks, eye, eyes, muzzle_smile, smile
from art.gallery import picture
from art.materials import knit
from art.paint import clip, fill, flip, group, line, shadow, solid
from art.scenes import flat, halo, plain
from art.shapes import Path, arc, blob, box, circle, curve, ellipse, leaf, poly, twin


def tube(x: float, base: float, w: float, h: float, colour: str) -> str:
    """A crocheted finger body standing on `base`."""
    shape = box(x - w / 2, base - h, w, h, r=(w / 2, w / 2, w * 0.1, w * 0.1))
    return solid(
        shape,
        colour,
        knit(shape.bounds(), darker(colour, 0.26), w * 0.16),
        line(poly((x - w / 2, base - 5), (x + w / 2, base - 5), closed=False), darker(colour, 0.14), 10),
        shade=(-w * 0.12, -w * 0.08),
        rim=4,
    )


def rabbit(x: float, base: float, w: float) -> str:
    """Un conejo."""
    h = w * 1.9
    top = base - h
    ear = "".join(
        solid(
            leaf((x + d * w * 0.2, top + w * 0.16), (x + d * w * 0.36, top - w * 0.86), w * 0.3),
            "#EDE6DC",
            fill(leaf((x + d * w * 0.22, top), (x + d * w * 0.34, top - w * 0.66), w * 0.13), PINK),
            shade=(-4, -4),
            rim=2,
        )
        for d in (-1, 1)
    )
    return (
        ear
        + tube(x, base, w, h, "#EDE6DC")
        + eyes(x, top + w * 0.5, w * 0.44, w * 0.07, INK)
        + fill(ellipse(x, top + w * 0.66, w * 0.07, w * 0.05), PINK)
        + muzzle_smile(x, top + w * 0.7, w * 0.2, w * 0.07, COCOA, w * 0.03)
        + cheeks(x, top + w * 0.66, w * 0.68, w * 0.08, PINK, 0.7)
    )


def fox(x: float, base: float, w: float) -> str:
    """Un zorro."""
    h = w * 1.9
    top = base - h
    coat = "#D9692F"
    ear = "".join(
        solid(
            poly(
                (x + d * w * 0.1, top + w * 0.14),
                (x + d * w * 0.5, top + w * 0.3),
                (x + d * w * 0.46, top - w * 0.3),
                r=w * 0.05,
            ),
            coat,
            fill(
                poly(
                    (x + d * w * 0.24, top + w * 0.1),
                    (x + d * w * 0.43, top + w * 0.18),
                    (x + d * w * 0.41, top - w * 0.12),
                    r=w * 0.03,
                ),
                COCOA,
            ),
            shade=(-4, -4),
            rim=2,
        )
        for d in (-1, 1)
    )
    face = blob(
        (x - w * 0.48, top + w * 0.56),
        (x - w * 0.2, top + w * 0.58),
        (x, top + w * 0.44),
        (x + w * 0.2, top + w * 0.58),
        (x + w * 0.48, top + w * 0.56),
        (x + w * 0.3, top + w * 0.86),
        (x, top + w * 0.96),
        (x - w * 0.3, top + w * 0.86),
    )
    bib = twin(
        (x, base - w * 0.8),
        (x + w * 0.26, base - w * 0.7),
        (x + w * 0.2, base - w * 0.2),
        (x, base - w * 0.1),
        x=x,
    )
    return (
        ear
        + tube(x, base, w, h, coat)
        + clip(box(x - w / 2, top, w, h, r=w / 2), fill(face, CREAM))
        + fill(bib, CREAM, 0.9)
        + eyes(x, top + w * 0.5, w * 0.5, w * 0.07, INK)
        + fill(ellipse(x, top + w * 0.72, w * 0.1, w * 0.075), INK)
        + smile(x, top + w * 0.8, w * 0.2, w * 0.07, COCOA, w * 0.03)
    )


def owl(x: float, base: float, w: float) -> str:
    """Un búho."""
    h = w * 1.7
    top = base - h
    wing = solid(
        leaf((x + w * 0.4, top + w * 0.7), (x + w * 0.52, base - w * 0.2), w * 0.3),
        darker(PLUM, 0.1),
        shade=(-4, -4),
        rim=2,
    )
    ear = "".join(
        solid(
            poly(
                (x + d * w * 0.12, top + w * 0.1),
                (x + d * w * 0.46, top + w * 0.28),
                (x + d * w * 0.44, top - w * 0.12),
                r=w * 0.04,
            ),
            PLUM,
            shade=(-3, -3),
            rim=0,
        )
        for d in (-1, 1)
    )
    belly = "".join(
        line(arc((x + c * w * 0.18, base - w * (0.62 - r * 0.18)), w * 0.09, 10, 170), CREAM, w * 0.035)
        for r in range(3)
        for c in (-1, 0, 1)
    )
    return (
        ear
        + tube(x, base, w, h, PLUM)
        + belly
        + wing
        + flip(wing, x=x)
        + "".join(
            solid(circle(x + d * w * 0.22, top + w * 0.46, w * 0.22), CREAM, shade=(-3, -3), rim=0)
            + eye(x + d * w * 0.2, top + w * 0.47, w * 0.12, INK)
            for d in (-1, 1)
        )
        + fill(
            poly(
                (x - w * 0.08, top + w * 0.56),
                (x + w * 0.08, top + w * 0.56),
                (x, top + w * 0.74),
                r=w * 0.02,
            ),
            SUN,
        )
    )


def frog_finger(x: float, base: float, w: float) -> str:
    """Una rana."""
    h = w * 1.6
    top = base - h
    green = "#63A94F"
    return (
        tube(x, base, w, h, green)
        + "".join(
            solid(circle(x + d * w * 0.26, top + w * 0.06, w * 0.2), green, shade=(-4, -4), rim=2)
            + fill(circle(x + d * w * 0.26, top + w * 0.03, w * 0.14), WHITE)
            + eye(x + d * w * 0.25, top + w * 0.04, w * 0.085, INK)
            for d in (-1, 1)
        )
        + smile(x, top + w * 0.46, w * 0.6, w * 0.2, darker(green, 0.5), w * 0.04)
        + cheeks(x, top + w * 0.42, w * 0.78, w * 0.08, PINK, 0.8)
        + fill(
            twin(
                (x, base - w * 0.7),
                (x + w * 0.26, base - w * 0.6),
                (x + w * 0.22, base - w * 0.14),
                (x, base - w * 0.08),
                x=x,
            ),
            "#D7E7A0",
            0.9,
        )
    )


def armadillo(x: float, base: float, w: float) -> str:
    """Un armadillo."""
    h = w * 1.7
    top = base - h
    grey = "#A3958C"
    shape = box(x - w / 2, top, w, h, r=w / 2)
    bands = "".join(
        fill(
            Path(
                (
                    *curve((x - w * 0.6, y), (x, y + w * 0.1), (x + w * 0.6, y)).parts,
                    ("L", ((x + w * 0.6, y + w * 0.09),)),
                    *(("L", (p,)) for p in ((x, y + w * 0.19), (x - w * 0.6, y + w * 0.09))),
                    ("Z", ()),
                )
            ),
            "#7D6F67",
        )
        for y in (base - w * 0.92, base - w * 0.68, base - w * 0.44, base - w * 0.2)
    )
    ear = "".join(
        solid(
            leaf((x + d * w * 0.2, top + w * 0.18), (x + d * w * 0.36, top - w * 0.34), w * 0.28),
            grey,
            fill(
                leaf((x + d * w * 0.22, top + w * 0.08), (x + d * w * 0.34, top - w * 0.22), w * 0.12), PINK
            ),
            shade=(-3, -3),
            rim=2,
        )
        for d in (-1, 1)
    )
    muzzle = twin(
        (x, top + w * 0.4),
        (x + w * 0.24, top + w * 0.5),
        (x + w * 0.16, top + w * 0.78),
        (x, top + w * 0.82),
        x=x,
    )
    return (
        ear
        + tube(x, base, w, h, grey)
        + clip(shape, bands)
        + solid(muzzle, "#E3D2C4", shade=(-4, -4), rim=0)
        + eyes(x, top + w * 0.42, w * 0.52, w * 0.07, INK)
        + fill(ellipse(x, top + w * 0.72, w * 0.08, w * 0.055), INK)
        + cheeks(x, top + w * 0.6, w * 0.72, w * 0.07, PINK, 0.7)
    )


@picture("titeres-de-dedo-1")
def finger_five() -> str:
    xs = (150, 316, 480, 644, 810)
    return plain("sand", 690) + group(
        "".join(shadow(x, 716 + (n % 2) * 50, 84, 16) for n, x in enumerate(xs)),
        rabbit(150, 716, 140),
        owl(480, 716, 150),
        armadillo(810, 716, 144),
        fox(316, 766, 146),
        frog_finger(644, 766, 150),
        size=1.06,
        about=(480, 620),
    )


@picture("titeres-de-dedo-2")
def finger_hand() -> str:
    skin = "#C98C60"
    fingers = (
        (214, 620, 92, -44, 372, 780),
        (338, 400, 96, -16, 410, 660),
        (476, 340, 98, 0, 486, 640),
        (612, 380, 96, 13, 566, 650),
        (734, 500, 88, 30, 636, 690),
    )
    palm = blob(
        (356, 680), (420, 620), (560, 616), (660, 670), (676, 800), (640, 1000), (410, 1000), (346, 830)
    )
    stalks = "".join(line(poly((x, y), (bx, by), closed=False), skin, w) for x, y, w, _, bx, by in fingers)
    puppets = (rabbit, fox, owl, frog_finger, armadillo)
    dressed = "".join(
        group(puppets[n](x, y + 110, w + 44), turn=t, about=(x, y + 40))
        for n, (x, y, w, t, _, _) in enumerate(fingers)
    )
    lines_ = line(curve((420, 720), (500, 760), (610, 730)), darker(skin, 0.16), 8) + line(
        curve((430, 800), (520, 830), (600, 810)), darker(skin, 0.16), 8
    )
    return halo("mint", radius=400) + stalks + solid(palm, skin, lines_, shade=(-24, -16), rim=0) + dressed


@picture("titeres-de-dedo-3")
def finger_fox() -> str:
    return flat("sand") + fox(480, 1110, 480)
