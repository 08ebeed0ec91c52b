"""Where the pages' state begins. That pages are drawn and taken over from a seed is seen in the browser's tests."""

import pytest
import reflex as rx
from reflex.compiler.compiler import compile_contexts

from storefront.plugins.seed import IN_BROWSER, ON_SERVER, SEED_ID, STORE, with_seed


@pytest.fixture
def generated() -> str:
    """The module of the installed Reflex, before anybody changed it."""
    return compile_contexts(rx.State, None)[1]


def test_both_sides_begin_with_the_seed(generated: str) -> None:
    changed = with_seed(generated)
    assert IN_BROWSER not in changed
    assert ON_SERVER not in changed
    assert f'getElementById("{SEED_ID}")' in changed
    assert changed.count("globalThis.documentSeed") == 1


@pytest.mark.parametrize("known", [STORE, IN_BROWSER, ON_SERVER])
def test_a_module_it_does_not_know_stops_the_build(generated: str, known: str) -> None:
    for source in ("", generated.replace(known, ""), generated + known):
        with pytest.raises(RuntimeError, match=r"seed\.py in line with the installed Reflex"):
            with_seed(source)
