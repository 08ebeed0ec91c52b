"""What a shopper reads when a shop is replaced under an open page, in the shop's language."""

import pytest

from storefront.plugins.new_version import NEWS, RELOAD, with_our_words


def test_the_banner_speaks_the_shops_language(state_js: str) -> None:
    changed = with_our_words(state_js)
    assert f'banner.append("{NEWS}");' in changed
    assert f'button.textContent = "{RELOAD}";' in changed
    assert "A new version of this app" not in changed
    assert len(changed.splitlines()) == len(state_js.splitlines())


def test_a_second_build_changes_nothing(state_js: str) -> None:
    assert with_our_words(with_our_words(state_js)) == with_our_words(state_js)


def test_a_script_it_does_not_know_stops_the_build(state_js: str) -> None:
    for source in ("", state_js.replace("banner.append", "banner.add"), state_js + state_js):
        with pytest.raises(RuntimeError, match=r"new_version\.py in line with the installed Reflex"):
            with_our_words(source)
