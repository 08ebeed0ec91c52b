"""Words as outlines, in the shop's display face: drawings must not depend on an installed font."""

from functools import cache
from typing import Any

from fontTools.pens.basePen import BasePen  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from fontTools.varLib.instancer import instantiateVariableFont  # type: ignore[import-untyped]

from art.places import FONTS
from art.shapes import Path, Point


class PathPen(BasePen):  # type: ignore[misc]
    """Collects a glyph as our own path commands."""

    def __init__(self, glyphs: Any) -> None:
        super().__init__(glyphs)
        self.parts: list[tuple[str, tuple[Point, ...]]] = []

    def _moveTo(self, pt: Point) -> None:  # noqa: N802 (the pen protocol’s name)
        self.parts.append(("M", (pt,)))

    def _lineTo(self, pt: Point) -> None:  # noqa: N802 (the pen protocol’s name)
        self.parts.append(("L", (pt,)))

    def _curveToOne(self, pt1: Point, pt2: Point, pt3: Point) -> None:  # noqa: N802 (the pen protocol’s name)
        self.parts.append(("C", (pt1, pt2, pt3)))

    def _closePath(self) -> None:  # noqa: N802 (the pen protocol’s name)
        self.parts.append(("Z", ()))


@cache
def face(weight: int) -> TTFont:
    """Fredoka at one weight."""
    return instantiateVariableFont(TTFont(FONTS / "fredoka.woff2", recalcTimestamp=False), {"wght": weight})


@cache
def letter(character: str, weight: int) -> tuple[Path, float]:
    """A glyph's outline and advance in font units, y downward."""
    font = face(weight)
    glyphs = font.getGlyphSet()
    name = font.getBestCmap()[ord(character)]
    pen = PathPen(glyphs)
    glyphs[name].draw(pen)
    return Path(tuple(pen.parts)).size(1, -1), font["hmtx"][name][0]


def words(
    text: str, x: float, y: float, size: float, weight: int = 600, anchor: str = "middle", spacing: float = 0
) -> Path:
    """`text` on the baseline y as one outline; `anchor` is start, middle or end."""
    scale, cursor = size / 1000, 0.0
    placed: tuple[tuple[str, tuple[Point, ...]], ...] = ()
    for character in text:
        outline, advance = letter(character, weight)
        placed += outline.move(cursor, 0).parts
        cursor += advance + spacing
    width = (cursor - spacing) * scale
    start = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
    return Path(placed).size(scale).move(start, y)
