"""What the suite itself promises: no test reaches another machine."""

import socket

import pytest
from pytest_socket import SocketConnectBlockedError


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_only_this_machine_is_reached() -> None:
    with socket.socket() as connection, pytest.raises(SocketConnectBlockedError):
        connection.connect(("192.0.2.1", 80))
