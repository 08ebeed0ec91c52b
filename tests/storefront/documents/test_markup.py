"""A rendered document can be displayed before other files have loaded."""

from pathlib import Path

from storefront.documents.markup import (
    WAIT_FOR_FIRST_PICTURE,
    arrange_for_first_paint,
    delay_module,
    disable_font_preloads,
)

FONT = '<link as="font" crossorigin="anonymous" href="/fonts/one.woff2" rel="preload" type="font/woff2"/>'
HTML = (
    f'<head>{FONT}<link as="style" href="/assets/all-1.css" rel="preload"/>'
    '<link rel="modulepreload" href="/assets/entry.js"/>'
    '<link href="/assets/all-1.css" rel="stylesheet" type="text/css"/></head>'
    '<body><p>&lt;/head></p><script>first()</script><script type="module" async="">last()</script></body>'
)
STAND_IN = '@font-face { font-family: "One Fallback"; src: local("Arial") }'
FACE = '@font-face { font-family: "One"; src: url("/fonts/one.woff2") format("woff2") }'
STATE = '<template id="initial-state">{}</template>'


def test_styles_are_inlined_and_other_files_load_later(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "all-1.css").write_text(STAND_IN + FACE + 'p::before { content: "</style>" }')
    assert arrange_for_first_paint(HTML, STATE, tmp_path) == (
        '<head><link as="style" media="print" href="/assets/all-1.css" rel="preload"/>'
        '<link disabled media="print" href="/assets/all-1.css" rel="stylesheet" type="text/css"/>'
        f'<style>{STAND_IN}p::before {{ content: "<\\/style>" }}</style></head>'
        f"<body><p>&lt;/head></p><script>first()</script>{FONT}<style>{FACE}</style>"
        f'<link fetchpriority="low" rel="modulepreload" href="/assets/entry.js"/>{STATE}'
        '<script type="module" async="">last()</script></body>'
    )


def test_only_the_font_for_the_first_display_is_preloaded(tmp_path: Path) -> None:
    optional = FACE.replace("src", "font-display: optional; src")
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "all-1.css").write_text(FACE + optional)
    head, _end, behind = arrange_for_first_paint(HTML, STATE, tmp_path).partition("</head>")
    assert head.endswith(f"{FONT}<style>{optional}</style>")
    assert f"<style>{FACE}</style>" in behind
    assert FONT not in behind


def test_links_of_a_document_without_scripts_follow_its_head_tag(tmp_path: Path) -> None:
    html = f"<head>{FONT}</head><body></body>"
    assert arrange_for_first_paint(html, STATE, tmp_path) == f"<head></head>{FONT}{STATE}<body></body>"


def test_preload_of_an_unused_font_is_disabled() -> None:
    other = FONT.replace("one", "two")
    html = f"<head>{FONT}{other}</head><body>/fonts/one.woff2</body>"
    disabled = FONT.replace("<link", '<link media="not all"').replace(
        '<link media="not all" as="font"', '<link as="font" media="not all"'
    )
    assert disable_font_preloads(html, {"/fonts/one.woff2", "/fonts/six.woff2"}) == html.replace(
        FONT, disabled
    )
    assert disable_font_preloads(html, frozenset()) == html


def test_modules_are_imported_after_the_first_picture() -> None:
    html = (
        '<link rel="modulepreload" href="/assets/root.js"/><script>first()</script>'
        '<script type="module" async="">import "/assets/manifest.js";\n'
        'import * as route0 from "/assets/root.js";\n'
        'import * as route1 from "/assets/_index.js";\n'
        'window.routes = [route0, route1];\nimport("/assets/entry.js");</script><script>last()</script>'
    )
    assert delay_module(html) == (
        '<link media="print" rel="modulepreload" href="/assets/root.js"/><script>first()</script>'
        f'<script type="module" async="">{WAIT_FOR_FIRST_PICTURE}'
        'const [, route0, route1] = await Promise.all([import("/assets/manifest.js"),'
        ' import("/assets/root.js"), import("/assets/_index.js")]);\n'
        'window.routes = [route0, route1];\nimport("/assets/entry.js");</script><script>last()</script>'
    )


def test_document_without_a_module_script_is_unchanged() -> None:
    assert delay_module("<script>first()</script>") == "<script>first()</script>"
