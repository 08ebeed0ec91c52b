"""Opens the shop for work on it, with hot reload: `python -m storefront.server.dev`.

Vite serves the pages on PORT, and hands on to port 8000 beside it what websocket and API answer. There are no documents
here: every other address answers with the same shell and status 200, and the browser draws the page with its title and
head.
"""

import asyncio
import os
import sys

from reflex_base.environment import environment

from backend.core.config.settings import load_settings
from backend.start import prepare
from storefront.server.build import ROOT
from storefront.server.toolchain import prepare_environment, prepare_web

WATCHED = ("backend", "storefront", "assets")  # not the data folder: every sale would reload the shop


def main() -> None:
    """Prepare the database and the pages' folder, then become `reflex run`."""
    settings = load_settings()
    asyncio.run(prepare(settings))
    prepare_environment()
    prepare_web()
    environment.REFLEX_HOT_RELOAD_OVERRIDE_PATHS.set([ROOT / name for name in WATCHED])
    command = ["-m", "reflex", "run", "--frontend-port", str(settings.port)]
    os.execv(sys.executable, [sys.executable, *command])  # noqa: S606 - our own interpreter, without a shell


if __name__ == "__main__":
    main()
