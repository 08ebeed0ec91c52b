"""No document chooses its look by a script: the shop has one."""

import pytest
from reflex.compiler.compiler import compile_document_root

from storefront.plugins.one_look import without_choosing


@pytest.fixture
def generated() -> str:
    """The module of the installed Reflex, before anybody changed it."""
    return compile_document_root([])[1]


def test_the_script_is_gone_and_all_else_stays(generated: str) -> None:
    changed = without_choosing(generated)
    assert "localStorage" in generated
    assert "localStorage" not in changed
    start = generated.index('jsx("script"')
    assert changed == generated[:start] + generated[start + len(generated) - len(changed) :]
    assert changed[start:].startswith("jsx(")


def test_a_module_it_does_not_know_stops_the_build(generated: str) -> None:
    for source in ("", generated.replace("Only run in browser", "Run"), generated + generated):
        with pytest.raises(RuntimeError, match=r"one_look\.py in line with the installed Reflex"):
            without_choosing(source)
