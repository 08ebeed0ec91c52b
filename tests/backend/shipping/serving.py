"""An ASGI app on a real socket, in a separate thread."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from tests.ports import open_listening_socket


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """Serve the app on a free port and yield its address. The socket listens before this returns."""
    with open_listening_socket() as listener:
        server = uvicorn.Server(
            uvicorn.Config(
                app, http="h11", ws="none", lifespan="off", log_config=None, timeout_graceful_shutdown=1
            )
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
            assert not thread.is_alive()
