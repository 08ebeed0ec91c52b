"""Uploaded SVG: what is refused before it is rendered, and the limits of the process that renders it."""

from collections.abc import Callable

import pytest

from backend.media.picture_processing import UnusablePicture
from backend.media.svg_child import check_svg, render
from backend.media.svg_rendering import looks_like_svg, render_svg

SVG = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
RED = '<rect width="200" height="100" fill="#c00"/>'


def svg(content: str, head: str = "", size: str = 'viewBox="0 0 200 100"') -> bytes:
    return f"{head}<svg {SVG} {size}>{content}</svg>".encode()


USES = "".join(f'<g id="u{n}">' + f'<use href="#u{n - 1}"/>' * 30 + "</g>" for n in range(1, 12))
"""Each group uses the group before it 30 times: 30^11 rectangles."""
ENTITIES = (
    '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)
REFUSED: list[tuple[str, Callable[[], bytes], str]] = [
    ("a script", lambda: svg("<script>alert(1)</script>"), "unsafe"),
    ("an event handler", lambda: svg('<rect width="9" height="9" onload="alert(1)"/>'), "unsafe"),
    ("HTML inside", lambda: svg("<foreignObject><p/></foreignObject>"), "unsafe"),
    ("a picture of another host", lambda: svg('<image href="https://otro.example/a.png" width="9"/>'), "unsafe"),
    ("a file of the server", lambda: svg('<image xlink:href="/etc/hostname" width="9" height="9"/>'), "unsafe"),
    ("a file of the server by its URL", lambda: svg('<image href="file:///etc/passwd" width="9"/>'), "unsafe"),
    ("an SVG inside", lambda: svg('<image href="data:image/svg+xml;base64,PHN2Zy8+" width="9"/>'), "unsafe"),
    ("shapes of another file", lambda: svg('<use href="otro.svg#a"/>'), "unsafe"),
    ("a filter with a picture", lambda: svg('<filter><feImage href="x.png"/></filter>'), "unsafe"),
    ("a colour of another file", lambda: svg('<rect fill="url(otro.svg#a)" width="9" height="9"/>'), "unsafe"),
    ("a style of another host", lambda: svg("<style>@import 'https://otro.example/a.css';</style>"), "unsafe"),
    ("a link that runs", lambda: svg('<a href="javascript:alert(1)"><rect width="9"/></a>'), "unsafe"),
    ("an animation", lambda: svg('<rect width="9" height="9"><animate/></rect>'), "unsafe"),
    ("entities", lambda: svg("<title>&c;</title>", ENTITIES), "unsafe"),
    ("an outside entity", lambda: svg("&x;", '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'), "unsafe"),
    ("text", lambda: svg('<text x="1" y="9">Oso</text>'), "svg_text"),
    ("too many elements", lambda: svg("<g/>" * 20_001), "too_large"),
    ("no size", lambda: svg("<g/>", size=""), "odd_shape"),
    ("a line", lambda: svg("<g/>", size='viewBox="0 0 1 1000000"'), "odd_shape"),
    ("an endless number", lambda: svg("<g/>", size='width="1e999" height="1e999"'), "odd_shape"),
    ("broken markup", lambda: svg("<g>"), "damaged"),
    ("another vocabulary", lambda: b"<?xml version='1.0'?><html/>", "no_picture"),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "make", "reason"), REFUSED, ids=[row[0] for row in REFUSED])
def test_svg_with_forbidden_content_is_refused(fault: str, make: Callable[[], bytes], reason: str) -> None:
    assert looks_like_svg(make())
    with pytest.raises(UnusablePicture) as refused:
        check_svg(make())
    assert refused.value.fault == reason


def test_shapes_gradients_and_embedded_pictures_are_rendered() -> None:
    editor = '<i:data xmlns:i="urn:editor" i:href="x.ai"/>'
    doctype = (
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
    )
    gradient = '<linearGradient id="g"><stop stop-color="#fff"/></linearGradient>'
    shapes = f'<style>.a{{fill:url(#g)}}</style><rect class="a" width="9" height="9"/>{RED}'
    dot = '<image href="data:image/png;base64,AAAA" width="1" height="1"/>'
    assert render(svg(editor + gradient + shapes + dot, doctype)).startswith(b"\x89PNG")
    assert check_svg(svg(RED, size='width="40mm" height="20mm"'))[1:] == (40, 20)


def test_svg_is_rendered_in_a_child_process() -> None:
    assert render_svg(svg(RED)).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "bomb",
    [
        svg(f'<defs><g id="u0"><rect width="1" height="1"/></g>{USES}</defs><use href="#u11"/>'),
        svg("<!--" + "x" * (1 << 20) + "-->"),
        svg("<g>" * 19_000 + "</g>" * 19_000),
    ],
    ids=["nested uses", "too many bytes", "too deep"],
)
def test_svg_bomb_is_refused(bomb: bytes) -> None:
    with pytest.raises(UnusablePicture):
        render_svg(bomb)


@pytest.mark.parametrize("content", [b"", b"hola", b"\x89PNG", b"<!doctype html><svg/>", b"GIF89a<svg"])
def test_content_of_another_format_is_not_recognised_as_svg(content: bytes) -> None:
    assert not looks_like_svg(content)
