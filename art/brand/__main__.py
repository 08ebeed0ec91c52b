"""Write assets/brand: `python -m art.brand`."""

import io

import resvg_py
from PIL import Image

from art.brand.icons import ICONS, icon
from art.brand.light import LIMIT, document
from art.brand.mark import badge, logo, mark, wordmark
from art.brand.spots import SPOTS, hero
from art.colour import INK_SOFT, PAPER, TINTS, WHITE
from art.lettering import words
from art.paint import fill, shadow
from art.places import BRAND
from art.shapes import Path, box, circle, curve
from art.toys.chiva import chiva


def social() -> str:
    """The picture shown when the shop is shared, 1200 × 630."""
    name = '<g transform="translate(60 196) scale(1.42)">' + mark() + wordmark(106, 73, 82) + "</g>"
    line_one = fill(words("Juguetes hechos con cariño,", 76, 418, 44, 500, "start"), INK_SOFT)
    line_two = fill(words("para todas las edades.", 76, 474, 44, 500, "start"), INK_SOFT)
    toys = '<g transform="translate(624 40) scale(.58)">' + chiva() + "</g>"
    floor = fill(
        Path(
            (
                *curve((-20, 540), (420, 516), (820, 536), (1240, 506)).parts,
                ("L", ((1240, 660),)),
                ("L", ((-20, 660),)),
                ("Z", ()),
            )
        ),
        TINTS["sand"],
    )
    sky_ = fill(circle(912, 290, 292), TINTS["butter"])
    return document(
        1200,
        630,
        fill(box(0, 0, 1200, 630), PAPER),
        floor,
        sky_,
        shadow(908, 506, 268, 20),
        toys,
        name,
        line_one,
        line_two,
        whole=False,
    )


def pixels(svg: str, width: int) -> Image.Image:
    """A drawing as pixels."""
    return Image.open(
        io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True)))
    )


def main() -> None:
    """Write every brand file and say how large the illustrations are."""
    BRAND.mkdir(parents=True, exist_ok=True)
    drawings = {
        "logo": logo(),
        "logo-light": logo(WHITE),
        "mark": document(96, 96, mark(), whole=False),
        "hero": hero(),
    }
    drawings |= {name: document(480, 360, draw()) for name, draw in SPOTS.items()}
    drawings |= {name: icon(tint, draw()) for name, (tint, draw) in ICONS.items()}
    for name, svg in drawings.items():
        if not name.startswith("logo") and len(svg.encode()) >= LIMIT:
            raise SystemExit(f"{name}.svg is {len(svg.encode())} bytes; the limit is {LIMIT}")
        (BRAND / f"{name}.svg").write_text(svg, encoding="utf-8")
        print(f"{name}.svg {len(svg.encode())}")
    (BRAND / "favicon.svg").write_text(drawings["mark"], encoding="utf-8")
    small = pixels(drawings["mark"], 32)
    small.save(BRAND / "favicon-32.png", optimize=True)
    small.save(BRAND.parent / "favicon.ico", sizes=[small.size])
    for name, width, svg in (
        ("apple-touch-icon", 180, badge(PAPER, 0.12, 0)),
        ("icon-192", 192, badge(PAPER, 0.1, 112)),
        ("icon-512", 512, badge(PAPER, 0.1, 112)),
        ("icon-maskable-512", 512, badge(PAPER, 0.2, 0)),
    ):
        pixels(svg, width).save(BRAND / f"{name}.png", optimize=True)
    pixels(social(), 1200).convert("RGB").quantize(192, dither=Image.Dither.NONE).save(
        BRAND / "og.png", optimize=True
    )


if __name__ == "__main__":
    main()
