"""Development server with hot reload: `python -m storefront.server.dev`.

Vite serves the pages on PORT and forwards the websocket and the API to port 8000. Documents are not rendered on the
server: every page address answers with the same shell and status 200, and the browser renders the page with its
title and head.
"""

import asyncio
import os
import sys

from reflex_base.environment import environment

from backend.core.config.settings import load_settings
from backend.start import prepare
from storefront.server.build import ROOT
from storefront.server.toolchain import prepare_environment, prepare_web

WATCHED = ("backend", "storefront", "assets")  # without the data folder: every order would reload the shop


def main() -> None:
    """Prepare the database and the folder `.web`, then run `reflex run` in this process."""
    settings = load_settings()
    asyncio.run(prepare(settings))
    prepare_environment()
    prepare_web()
    environment.REFLEX_HOT_RELOAD_OVERRIDE_PATHS.set([ROOT / name for name in WATCHED])
    command = ["-m", "reflex", "run", "--frontend-port", str(settings.port)]
    os.execv(sys.executable, [sys.executable, *command])  # noqa: S606 - our own interpreter, without a shell


if __name__ == "__main__":
    main()
