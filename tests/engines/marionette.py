"""Connection to Firefox's own WebDriver server, Marionette: what geckodriver does, for the commands that tests use.

Debian has no geckodriver. Marionette expects the commands of the WebDriver standard as JSON over TCP.
"""

import json
import socket
from collections.abc import Mapping
from itertools import count
from typing import Any

from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.remote_connection import RemoteConnection

COMMANDS = {
    Command.CLEAR_ELEMENT: "WebDriver:ElementClear",
    Command.CLICK_ELEMENT: "WebDriver:ElementClick",
    Command.GET: "WebDriver:Navigate",
    Command.GET_CURRENT_URL: "WebDriver:GetCurrentURL",
    Command.GET_ELEMENT_PROPERTY: "WebDriver:GetElementProperty",
    Command.GO_BACK: "WebDriver:Back",
    Command.GO_FORWARD: "WebDriver:Forward",
    Command.NEW_SESSION: "WebDriver:NewSession",
    Command.QUIT: "WebDriver:DeleteSession",
    Command.REFRESH: "WebDriver:Refresh",
    Command.SEND_KEYS_TO_ELEMENT: "WebDriver:ElementSendKeys",
    Command.SET_WINDOW_RECT: "WebDriver:SetWindowRect",
    Command.W3C_EXECUTE_SCRIPT: "WebDriver:ExecuteScript",
}
"""Selenium's commands and Marionette's names for them. The parameters are the same."""
ANSWER_TIMEOUT_S = 300
FAILED = 500
"""The HTTP status that Selenium expects with an error."""


class MarionetteConnection(RemoteConnection):
    """Executor of Selenium's commands in the Firefox that listens on `port` of this machine."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), ANSWER_TIMEOUT_S)
        self._messages = self._socket.makefile("rb")
        self._numbers = count(1)
        self._read_message()  # Marionette introduces itself

    def execute(self, command: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run a command and return its answer in the form that Selenium expects from an HTTP server."""
        # the profile already configures a new session
        sent = (
            {}
            if command == Command.NEW_SESSION
            else {key: params[key] for key in params if key != "sessionId"}
        )
        message = json.dumps([0, next(self._numbers), COMMANDS[command], sent]).encode()
        self._socket.sendall(b"%d:%b" % (len(message), message))
        _type, _number, error, result = self._read_message()
        if error is not None:
            return {"status": FAILED, "value": json.dumps({"value": error})}
        is_wrapped = isinstance(result, dict) and result.keys() == {"value"}
        return result if is_wrapped else {"value": result}

    def close(self) -> None:
        """Close the connection."""
        self._messages.close()
        self._socket.close()

    def _read_message(self) -> Any:
        length = b""
        while (digit := self._messages.read(1)) != b":":
            if not digit:
                raise ConnectionError("Firefox has closed the connection")
            length += digit
        return json.loads(self._messages.read(int(length)))
