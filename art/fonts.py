"""Subset the two typefaces and measure stand-ins that keep the page still while they load.

    python -m art.fonts <folder>

`<folder>` holds the unpacked npm packages `fredoka`, `figtree` (what the shop uses) and `arimo`, `roboto`
(the metrics of the fonts a device shows meanwhile), as `npm pack @fontsource…` delivers them.
"""

import shutil
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from fontTools import subset  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from fontTools.varLib.instancer import instantiateVariableFont  # type: ignore[import-untyped]

from art.places import CATALOG, FONTS

LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x100), 0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022]
LATIN += [0x2026, 0x202F, 0x2039, 0x203A, 0x20AC, 0x2122, 0x2191, 0x2193, 0x2212]


@dataclass(frozen=True)
class Face:
    """One of the shop's families and the weight its stand-ins are measured at."""

    family: str
    package: str
    source: str
    weights: str
    usual_weight: int


@dataclass(frozen=True)
class StandIn:
    """A font that devices already have, with the metrics of `source`."""

    suffix: str
    source: str
    weight: int | None
    local: tuple[str, ...]


FACES = (
    Face("Fredoka", "fredoka", "fredoka-latin-wght-normal.woff2", "300 700", 600),
    Face("Figtree", "figtree", "figtree-latin-wght-normal.woff2", "300 900", 400),
)
ARIAL = ("Arial", "Helvetica", "Liberation Sans", "Arimo")
ARIAL_BOLD = ("Arial Bold", "Arial-BoldMT", "Helvetica Bold", "Liberation Sans Bold", "Arimo Bold")
STAND_INS = {
    "Fredoka": (
        StandIn("Fallback", "arimo/package/files/arimo-latin-700-normal.woff2", None, ARIAL_BOLD),
        StandIn(
            "Fallback Android", "roboto/package/files/roboto-latin-wght-normal.woff2", 700, ("Roboto Bold",)
        ),
    ),
    "Figtree": (
        StandIn("Fallback", "arimo/package/files/arimo-latin-400-normal.woff2", None, ARIAL),
        StandIn("Fallback Android", "roboto/package/files/roboto-latin-wght-normal.woff2", 400, ("Roboto",)),
    ),
}


def shrink(source: Path, target: Path) -> None:
    """Keep Latin and punctuation, every layout feature, and the weight axis."""
    options = subset.Options(layout_features=["*"], flavor="woff2", notdef_outline=True)
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=LATIN)
    subsetter.subset(font)
    font["head"].modified = font["head"].created  # the same file on every run
    subset.save_font(font, str(target), options)


def at_weight(source: Path, weight: int | None) -> TTFont:
    """The font at one weight; static fonts pass through."""
    font = TTFont(source, recalcTimestamp=False)
    if weight is None:
        return font
    return instantiateVariableFont(
        font, {axis.axisTag: axis.defaultValue for axis in font["fvar"].axes} | {"wght": weight}
    )


def mean_advance(font: TTFont, text: str) -> float:
    """Average advance of `text`'s letters in ems."""
    glyphs, advances = font.getBestCmap(), font["hmtx"]
    known = [advances[glyphs[ord(letter)]][0] for letter in text if ord(letter) in glyphs]
    return float(sum(known) / len(known) / font["head"].unitsPerEm)


def stand_in_css(face: Face, font: TTFont, other: StandIn, folder: Path, text: str) -> str:
    """An @font-face that makes a device font as wide and as tall as ours."""
    size = mean_advance(font, text) / mean_advance(at_weight(folder / other.source, other.weight), text)
    units = font["head"].unitsPerEm * size
    ascent, descent, gap = (
        font["hhea"].ascent / units,
        -font["hhea"].descent / units,
        font["hhea"].lineGap / units,
    )
    names = ", ".join(f'local("{name}")' for name in other.local)
    return (
        f'@font-face {{\n  font-family: "{face.family} {other.suffix}";\n  src: {names};\n'
        f"  size-adjust: {size:.2%};\n  ascent-override: {ascent:.2%};\n"
        f"  descent-override: {descent:.2%};\n  line-gap-override: {gap:.2%};\n}}\n"
    )


def face_css(face: Face) -> str:
    """The @font-face of the self-hosted file."""
    return (
        f'@font-face {{\n  font-family: "{face.family}";\n  font-style: normal;\n  font-weight: {face.weights};\n'
        f'  font-display: swap;\n  src: url("/fonts/{face.package}.woff2") format("woff2");\n}}\n'
    )


def shop_words() -> str:
    """What shoppers really read: the catalogue's titles and texts."""
    toys = tomllib.loads(CATALOG.read_text(encoding="utf-8"))["toys"]
    return " ".join(f"{toy['title']} {toy['subtitle']} {toy['description']}" for toy in toys)


def main(folder: Path) -> None:
    """Write the subset files, their licences and fonts.css."""
    text = shop_words()
    blocks = []
    for face in FACES:
        source = folder / face.package / "package" / "files" / face.source
        shrink(source, FONTS / f"{face.package}.woff2")
        shutil.copyfile(folder / face.package / "package" / "LICENSE", FONTS / f"{face.package}-OFL.txt")
        font = at_weight(source, face.usual_weight)
        blocks.append(face_css(face))
        blocks += [stand_in_css(face, font, other, folder, text) for other in STAND_INS[face.family]]
    head = "/* Made by `python -m art.fonts`. Both families are under the SIL Open Font License. */\n"
    (FONTS / "fonts.css").write_text(head + "\n" + "\n".join(blocks), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
