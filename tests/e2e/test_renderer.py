"""Visitors still get every page while a renderer process is killed."""

from tests.failure.renderer import run


async def test_every_document_is_answered_while_a_renderer_is_killed(production_build: None) -> None:
    figures = await run(kills=3)
    assert not figures.wrong
    assert figures.rendered > 0
