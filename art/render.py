"""Draw the catalogue's pictures and save them as WebP squares.

python -m art.render                  every picture that the catalogue names, into assets/demo
python -m art.render trompo chiva     only the pictures whose name contains one of the words
python -m art.render --svg FOLDER     the vector sources instead
python -m art.render --sheet FILE     one contact sheet (PNG) of the chosen pictures
"""

import argparse
import io
import math
import os
import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import resvg_py
from PIL import Image

import art.toys  # noqa: F401  (hangs the pictures)
from art.gallery import PICTURES, svg
from art.places import CATALOG, DEMO

# width in pixels → WebP quality and the size in bytes it should stay under
WIDTHS = {320: (80, 8_000), 640: (80, 20_000), 960: (78, 35_000)}
LEAST_QUALITY = 44  # below it, edges of flat colour begin to show


def catalogue_files() -> list[str]:
    """The picture names of the demo catalogue, in its order."""
    with CATALOG.open("rb") as file:
        toys = tomllib.load(file)["toys"]
    return [picture["file"] for toy in toys for picture in toy["pictures"]]


def raster(name: str, width: int) -> Image.Image:
    """A picture as pixels."""
    data = resvg_py.svg_to_bytes(svg_string=svg(name), width=width, skip_system_fonts=True)
    return Image.open(io.BytesIO(bytes(data))).convert("RGB")


def save(name: str) -> list[int]:
    """Write the three widths of a picture; a busy one is pressed harder until it fits. Returns the sizes."""
    sizes = []
    for width, (quality, limit) in WIDTHS.items():
        image, target = raster(name, width), DEMO / f"{name}-{width}.webp"
        for pressed in range(quality, LEAST_QUALITY - 1, -4):
            image.save(target, "WEBP", quality=pressed, method=6)
            if target.stat().st_size <= limit:
                break
        sizes.append(target.stat().st_size)
    return sizes


def sheet(names: list[str], target: Path, cell: int = 240, columns: int = 6) -> None:
    """All chosen pictures side by side, to be looked at."""
    page = Image.new("RGB", (columns * cell, math.ceil(len(names) / columns) * cell), "white")
    for index, name in enumerate(names):
        page.paste(raster(name, cell - 4), (index % columns * cell, index // columns * cell))
    page.save(target)


def main() -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", help="only names containing one of these")
    parser.add_argument("--svg", type=Path, help="write SVG sources into this folder")
    parser.add_argument("--sheet", type=Path, help="write one contact sheet")
    parser.add_argument("--cell", type=int, default=240)
    parser.add_argument("--columns", type=int, default=6)
    options = parser.parse_args()
    names = [
        name for name in catalogue_files() if not options.words or any(word in name for word in options.words)
    ]
    if missing := [name for name in names if name not in PICTURES]:
        print(f"not drawn yet: {', '.join(missing)}")
        names = [name for name in names if name in PICTURES]
    if options.svg:
        options.svg.mkdir(parents=True, exist_ok=True)
        for name in names:
            (options.svg / f"{name}.svg").write_text(svg(name), encoding="utf-8")
    elif options.sheet:
        sheet(names, options.sheet, options.cell, options.columns)
    else:
        DEMO.mkdir(parents=True, exist_ok=True)
        with ProcessPoolExecutor(min(2, os.cpu_count() or 1)) as workers:
            sizes = list(workers.map(save, names))
        for width, column in zip(WIDTHS, zip(*sizes, strict=True), strict=True):
            print(
                f"{width}: {len(column)} pictures, largest {max(column)} bytes, together {sum(column)} bytes"
            )


if __name__ == "__main__":
    main()
