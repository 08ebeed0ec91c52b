"""All changes to what Reflex generates, as the one plugin that Reflex is given."""

from typing import Unpack

from reflex.plugins import Plugin
from reflex.plugins.base import PreCompileContext
from reflex.utils.exec import is_prod_mode

from storefront.plugins import STATE_JS
from storefront.plugins.new_version import with_our_words
from storefront.plugins.one_look import DOCUMENT_JS, without_choosing
from storefront.plugins.own_origin import with_own_origin
from storefront.plugins.reconnecting import in_one_piece
from storefront.plugins.seed import CONTEXT_JSX, with_seed


class Changes(Plugin):
    """Changes the generated files at every build."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Say which file is changed by what."""
        change = context["add_modify_task"]
        change(STATE_JS, with_our_words)
        change(STATE_JS, in_one_piece)
        change(CONTEXT_JSX, with_seed)
        change(DOCUMENT_JS, without_choosing)
        if is_prod_mode():
            change(STATE_JS, with_own_origin)
