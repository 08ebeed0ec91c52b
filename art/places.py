"""Where the drawings come from and go to."""

from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
CATALOG = HOME / "backend" / "demo" / "catalog.toml"
DEMO = HOME / "assets" / "demo"
BRAND = HOME / "assets" / "brand"
FONTS = HOME / "assets" / "fonts"
