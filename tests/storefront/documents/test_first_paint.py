"""A drawn document can be seen before anything else has come."""

from pathlib import Path

from storefront.documents.first_paint import with_styles_inside

HTML = (
    '<head><link as="style" href="/assets/all-1.css" rel="preload"/><link rel="modulepreload" href="/assets/entry.js"/>'
    '<link href="/assets/all-1.css" rel="stylesheet" type="text/css"/></head><body><p>&lt;/head></p></body>'
)


def test_styles_come_inside_and_scripts_after(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "all-1.css").write_text('p::before { content: "</style>" }')
    assert with_styles_inside(HTML, tmp_path) == (
        '<head><link as="style" media="print" href="/assets/all-1.css" rel="preload"/>'
        '<link rel="modulepreload" fetchpriority="low" href="/assets/entry.js"/>'
        '<link disabled href="/assets/all-1.css" rel="stylesheet" type="text/css"/>'
        '<style>p::before { content: "<\\/style>" }</style></head><body><p>&lt;/head></p></body>'
    )


def test_a_document_without_styles_stays_as_it_is(tmp_path: Path) -> None:
    assert with_styles_inside("<head></head><body></body>", tmp_path) == "<head></head><body></body>"
