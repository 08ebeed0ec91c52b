"""Check a rule of the test suite itself: no test connects to another machine."""

import socket

import pytest
from pytest_socket import SocketConnectBlockedError


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_connection_to_another_machine_is_blocked() -> None:
    with socket.socket() as connection, pytest.raises(SocketConnectBlockedError):
        connection.connect(("192.0.2.1", 80))
