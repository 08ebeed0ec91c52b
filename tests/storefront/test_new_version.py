"""What a shopper reads when a shop is replaced under an open page, in the shop's language."""

import pytest
from reflex_base import constants

from storefront.plugins.new_version import NEWS, RELOAD, STATE_JS, with_our_words


@pytest.fixture
def generated() -> str:
    """The script of the installed Reflex, before anybody changed it."""
    return (constants.Templates.Dirs.WEB_TEMPLATE / STATE_JS).read_text()


def test_the_banner_speaks_the_shops_language(generated: str) -> None:
    changed = with_our_words(generated)
    assert f'banner.append("{NEWS}");' in changed
    assert f'button.textContent = "{RELOAD}";' in changed
    assert "A new version of this app" not in changed
    assert len(changed.splitlines()) == len(generated.splitlines())


def test_a_second_build_changes_nothing(generated: str) -> None:
    assert with_our_words(with_our_words(generated)) == with_our_words(generated)


def test_a_script_it_does_not_know_stops_the_build(generated: str) -> None:
    for source in ("", generated.replace("banner.append", "banner.add"), generated + generated):
        with pytest.raises(RuntimeError, match=r"new_version\.py in line with the installed Reflex"):
            with_our_words(source)
