import socket

import pytest

from backend.core.errors import CannotStart
from storefront.server.processes import ADDRESS, hold_port
from tests.ports import free_port


def test_a_port_has_one_shop() -> None:
    port = free_port()
    held = hold_port(port)
    assert held is not None
    with held, pytest.raises(CannotStart, match=f"port {port} is taken"):
        hold_port(port)
    again = hold_port(port)
    assert again is not None
    again.close()


def test_a_port_that_somebody_else_listens_on() -> None:
    with socket.create_server((ADDRESS, 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotStart, match=f"port {port} is taken"):
            hold_port(port)
