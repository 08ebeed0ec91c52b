"""The renderer dies, and nobody who reads notices."""

from tests.failure.renderer import run


async def test_a_killed_renderer_costs_no_reader_a_document(production_build: None) -> None:
    figures = await run(kills=3)
    assert not figures.wrong
    assert figures.rendered > 0
