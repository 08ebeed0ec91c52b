import pytest
from reflex_base.constants import Templates

from storefront.plugins import STATE_JS


@pytest.fixture
def state_js() -> str:
    """The script of the installed Reflex that talks to the server, before anybody changed it."""
    return (Templates.Dirs.WEB_TEMPLATE / STATE_JS).read_text()
