"""Colours: contrast, the nearest readable colour, and the variables of the style sheet."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.content.palette import (
    BLACK,
    DEMO_PALETTE,
    MIN_BACKGROUND_CONTRAST,
    MIN_CONTRAST,
    NEUTRAL_PALETTE,
    WHITE,
    Palette,
    compute_contrast,
    derive_variables,
    find_readable,
    mix_colors,
    parse_color,
    render_declarations,
    render_style,
)

COLORS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@pytest.mark.parametrize(
    ("typed", "color"),
    [
        ("#24446b", "#24446b"),
        (" #24446B ", "#24446b"),
        ("24446b", "#24446b"),
        ("#ABC", "#aabbcc"),
        ("abc", "#aabbcc"),
        *((text, "") for text in ("", "#", "#12", "#12345", "#1234567", "red", "#24446g", "#２4446b")),
        *((text, "") for text in ("#fff;}body{display:none", "#fff}", "url(//x)", "var(--ink)", "#fff\n;")),
    ],
)
def test_only_hexadecimal_colors_are_parsed(typed: str, color: str) -> None:
    assert parse_color(typed) == color


@pytest.mark.parametrize(
    ("one", "other", "contrast"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#777777", "#ffffff", 4.48),
        ("#767676", "#ffffff", 4.54),
        ("#ffffff", "#ffffff", 1.0),
    ],
)
def test_contrast_is_computed_as_in_the_accessibility_guidelines(
    one: str, other: str, contrast: float
) -> None:
    assert compute_contrast(one, other) == pytest.approx(contrast, abs=0.005)
    assert compute_contrast(one, other) == compute_contrast(other, one)


@given(color=COLORS, background=COLORS)
def test_suggested_color_is_the_nearest_readable_shade(color: str, background: str) -> None:
    nearest = find_readable(color, (background,))
    assert compute_contrast(nearest, background) >= MIN_CONTRAST
    if compute_contrast(color, background) >= MIN_CONTRAST:
        assert nearest == color
        return
    steps = [(step, mix_colors(color, end, step / 255)) for end in (BLACK, WHITE) for step in range(256)]
    first = min(step for step, shade in steps if compute_contrast(shade, background) >= MIN_CONTRAST)
    assert nearest in {shade for step, shade in steps if step == first}


@given(primary=COLORS, secondary=COLORS, background=COLORS, text=COLORS)
def test_texts_are_readable_on_all_surfaces_of_an_accepted_palette(
    primary: str, secondary: str, background: str, text: str
) -> None:
    light = find_readable(background, (BLACK,), MIN_BACKGROUND_CONTRAST)
    palette = Palette(
        find_readable(primary, (light, WHITE)),
        find_readable(secondary, (light, WHITE)),
        light,
        find_readable(text, (light,)),
    )
    colors = derive_variables(palette)
    plain = [colors[name] for name in ("paper", "card", "paper-deep")]
    tints = [color for name, color in colors.items() if name.startswith("tint-")]
    for name in ("ink", "ink-soft", "teal-dark", "problem"):
        assert min(compute_contrast(colors[name], surface) for surface in plain + tints) >= MIN_CONTRAST, name
    for name in ("tomato-dark", "teal", "sky"):
        assert min(compute_contrast(colors[name], surface) for surface in plain) >= MIN_CONTRAST, name
    assert compute_contrast(colors["tomato-dark"], WHITE) >= MIN_CONTRAST, "the label of a button"
    for name in ("on-ink", "sunflower", "paper"):
        assert compute_contrast(colors[name], colors["ink"]) >= MIN_CONTRAST, (
            "on the footer, or with ink on it"
        )
    assert compute_contrast(colors["line-strong"], colors["card"]) >= 3


def test_style_contains_only_variables_and_colors() -> None:
    style = render_style(render_declarations(NEUTRAL_PALETTE))
    assert re.fullmatch(r"html:root\{(--[a-z-]+:#[0-9a-f]{6};)+\}", style)
    assert len(style) < 700
    assert render_style(render_declarations(DEMO_PALETTE)) == "", "the style sheet has the demo's colours"
    with pytest.raises(ValueError, match="not a colour"):
        render_declarations(Palette("red;}", "#000000", "#ffffff", "#000000"))
