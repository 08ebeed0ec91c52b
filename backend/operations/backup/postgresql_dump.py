"""PostgreSQL's own `pg_dump` and `pg_restore`: a backup of one moment, restored in one transaction.

The password goes into a file that only its owner can read: other users of the machine can list arguments.
"""

import asyncio
import logging
import re
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from typing import Any

from sqlalchemy import URL, text

from backend.core.db.database import Database
from backend.migrations.runner import upgrade

log = logging.getLogger(__name__)

DUMP_FILE = "trompo.dump"
PROGRAMS = ("pg_dump", "pg_restore")
CONNECT_TIMEOUT_S = 10
MAX_REASON_LENGTH = 300
_VERSION = re.compile(rb"\(PostgreSQL\) (\d+)")
_SERVER = text("SELECT current_setting('server_version_num')::int / 10000, current_schema()")
_TABLES = text(
    """SELECT table_name FROM information_schema.tables
       WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name"""
)


class ClientProgramError(Exception):
    """A program of PostgreSQL is missing, older than the server, or has failed. The message is one line."""


async def check_programs(database: Database) -> tuple[int, str]:
    """Check that the programs can talk to the server.

    Returns:
        The server's major version, and the schema of the shop's tables.

    Raises:
        ClientProgramError: one is missing or older than the server, or the address is a pooler's.
    """
    if database.through_pooler:
        raise ClientProgramError(
            "a pooler cannot serve pg_dump and pg_restore: name the database's own address by DATABASE_URL, "
            "and set no DATABASE_POOLER"
        )
    async with database.engine.connect() as connection:
        server, schema = (await connection.execute(_SERVER)).one()
    for program in PROGRAMS:
        found = _VERSION.search(await _run(program, "--version"))
        version = int(found[1]) if found else 0
        if version < server:
            raise ClientProgramError(
                f"{program} {version} is older than the server, PostgreSQL {server}: install its client programs of "
                f"version {server} or newer"
            )
    return server, schema


async def table_names(database: Database) -> list[str]:
    """Return the names of all tables of the shop's schema."""
    async with database.engine.connect() as connection:
        return [row[0] for row in await connection.execute(_TABLES)]


async def dump(database: Database, folder: Path) -> tuple[dict[str, Any], Path]:
    """Write the database as it is at one moment into a file of the folder.

    Returns:
        What `check_restorable` has to know of the backup, and the file.

    Raises:
        ClientProgramError: see `check_programs`, or `pg_dump` failed.
    """
    version, schema = await check_programs(database)
    file = folder / DUMP_FILE
    await _run(
        "pg_dump",
        "--format=custom",
        "--compress=0",  # the archive is compressed
        f'--schema="{schema}"',
        f"--file={file}",
        *_options(database.url, folder),
    )
    return {"server": version, "schema": schema, "tables": await table_names(database)}, file


async def check_restorable(database: Database, said: dict[str, Any]) -> None:
    """Check that the backup fits this server, before anything is changed.

    Args:
        database: the one to restore to.
        said: what `dump` returned of the backup.

    Raises:
        ClientProgramError: it does not, or see `check_programs`.
    """
    server, schema = await check_programs(database)
    if server < said["server"]:
        raise ClientProgramError(
            f"the copy is of PostgreSQL {said['server']}, and the server here is older: PostgreSQL {server}"
        )
    if schema != said["schema"]:
        raise ClientProgramError(
            f"the copy is of the schema {said['schema']}, and the database here uses {schema}"
        )
    if unknown := set(await table_names(database)) - set(said["tables"]):
        raise ClientProgramError(
            f"the database here has a table that the copy does not know, {min(unknown)}: create an empty database and "
            "name it by DATABASE_URL"
        )


async def restore_dump(database: Database, said: dict[str, Any], file: Path) -> None:
    """Replace the database's tables by those of the file, in one transaction; then migrate them.

    Raises:
        ClientProgramError: `pg_restore` failed, and the database is as it was.
    """
    await _run(
        "pg_restore",
        "--single-transaction",
        "--clean",
        "--if-exists",
        f"--schema={said['schema']}",
        *_options(database.url, file.parent),
        str(file),
    )
    await upgrade(database)


def _options(url: URL, folder: Path) -> list[str]:
    """Return what both programs are told of the database; the password is written into the folder."""
    query = {name: value if isinstance(value, str) else ",".join(value) for name, value in url.query.items()}
    words = {
        "host": url.host or query.get("host"),
        "port": url.port or query.get("port"),
        "user": url.username,
        "dbname": url.database,
        "sslmode": query.get("ssl"),
        "connect_timeout": CONNECT_TIMEOUT_S,
    }
    if url.password:
        file = folder / "password"
        file.touch(mode=0o600)
        file.write_text("*:*:*:*:" + re.sub(r"([\\:])", r"\\\1", str(url.password)) + "\n")
        words["passfile"] = str(file)
    connection = " ".join(
        f"{name}={_quoted(str(value))}" for name, value in words.items() if value is not None
    )
    return [f"--dbname={connection}", "--no-owner", "--no-privileges", "--no-password"]


def _quoted(value: str) -> str:
    return "'" + re.sub(r"([\\'])", r"\\\1", value) + "'"


async def _run(program: str, *arguments: str) -> bytes:
    """Run the program to its end. Return what it wrote to its standard output.

    Raises:
        ClientProgramError: it is not there, or failed.
    """
    path = shutil.which(program)
    if path is None:
        raise ClientProgramError(f"{program} is missing: install PostgreSQL's client programs")
    process = await asyncio.create_subprocess_exec(path, *arguments, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
    try:
        output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        lines = errors.decode(errors="replace").splitlines() or [f"it ended with {process.returncode}"]
        raise ClientProgramError(lines[0][:MAX_REASON_LENGTH])
    return output
