"""The renderer dies without any effect on readers."""

from tests.failure.renderer import run


async def test_killed_renderer_loses_no_document(production_build: None) -> None:
    figures = await run(kills=3)
    assert not figures.wrong
    assert figures.rendered > 0
