"""Backup with PostgreSQL's own `pg_dump`, restored with `pg_restore` in one transaction.

The password is written into a file that only its owner can read, because other users of the machine can list the
arguments of a process.
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
from backend.core.texts import _
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
    """A client program of PostgreSQL is missing, older than the server, or has failed. The message is one line.

    Attributes:
        owner_text: what to do, in the store's language; empty if there is only the message.
    """

    def __init__(self, message: str, owner_text: str = "") -> None:
        super().__init__(message)
        self.owner_text = owner_text


async def check_programs(database: Database) -> tuple[int, str]:
    """Check that `pg_dump` and `pg_restore` can be used with the server.

    Returns:
        The server's major version, and the schema of the shop's tables.

    Raises:
        ClientProgramError: a program is missing or older than the server, or the database URL is that of a
            connection pooler.
    """
    if database.through_pooler:
        raise ClientProgramError(
            "a pooler cannot serve pg_dump and pg_restore: name the database's own address by DATABASE_URL, "
            "and set no DATABASE_POOLER",
            _(
                "un pooler no sirve para las copias: pon en DATABASE_URL la base de datos y quita DATABASE_POOLER"
            ),
        )
    async with database.engine.connect() as connection:
        server, schema = (await connection.execute(_SERVER)).one()
    for program in PROGRAMS:
        found = _VERSION.search(await _run_program(program, "--version"))
        version = int(found[1]) if found else 0
        if version < server:
            raise ClientProgramError(
                f"{program} {version} is older than the server, PostgreSQL {server}: install its client programs of "
                f"version {server} or newer",
                _(
                    "{program} es más viejo que el servidor: instala los programas de PostgreSQL {version}"
                ).format(program=program, version=server),
            )
    return server, schema


async def list_table_names(database: Database) -> list[str]:
    """Return the names of all tables of the shop's schema."""
    async with database.engine.connect() as connection:
        return [row[0] for row in await connection.execute(_TABLES)]


async def dump_database(database: Database, folder: Path) -> tuple[dict[str, Any], Path]:
    """Write a consistent backup of the database into a file of the folder.

    Returns:
        The description of the backup that `check_restorable` needs, and the file.

    Raises:
        ClientProgramError: see `check_programs`, or `pg_dump` failed.
    """
    version, schema = await check_programs(database)
    file = folder / DUMP_FILE
    await _run_program(
        "pg_dump",
        "--format=custom",
        "--compress=0",  # the archive is compressed
        f'--schema="{schema}"',
        f"--file={file}",
        *_connection_options(database.url, folder),
    )
    return {"server": version, "schema": schema, "tables": await list_table_names(database)}, file


async def check_restorable(database: Database, description: dict[str, Any]) -> None:
    """Check that the backup can be restored on this server, before anything is changed.

    Args:
        database: the database to restore to.
        description: the description of the backup, as `dump_database` returned it.

    Raises:
        ClientProgramError: the server is older than the backup's, its schema has another name, or the
            database has a table that is not in the backup; or see `check_programs`.
    """
    server, schema = await check_programs(database)
    if server < description["server"]:
        raise ClientProgramError(
            f"the backup is of PostgreSQL {description['server']}, and the server here is older: PostgreSQL {server}"
        )
    if schema != description["schema"]:
        raise ClientProgramError(
            f"the backup is of the schema {description['schema']}, and the database here uses {schema}"
        )
    if unknown := set(await list_table_names(database)) - set(description["tables"]):
        raise ClientProgramError(
            f"the database here has a table that is not in the backup, {min(unknown)}: create an empty database and "
            "name it by DATABASE_URL"
        )


async def restore_dump(database: Database, description: dict[str, Any], file: Path) -> None:
    """Replace the database's tables with those of the file in one transaction, then migrate the database.

    Raises:
        ClientProgramError: `pg_restore` failed, and the database is unchanged.
    """
    await _run_program(
        "pg_restore",
        "--single-transaction",
        "--clean",
        "--if-exists",
        f"--schema={description['schema']}",
        *_connection_options(database.url, file.parent),
        str(file),
    )
    await upgrade(database)


def _connection_options(url: URL, folder: Path) -> list[str]:
    """Return the connection options of `pg_dump` and `pg_restore`. Write the password into a file of the folder."""
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
        f"{name}={_quote(str(value))}" for name, value in words.items() if value is not None
    )
    return [f"--dbname={connection}", "--no-owner", "--no-privileges", "--no-password"]


def _quote(value: str) -> str:
    return "'" + re.sub(r"([\\'])", r"\\\1", value) + "'"


async def _run_program(program: str, *arguments: str) -> bytes:
    """Run the program until it ends, and return its standard output.

    Raises:
        ClientProgramError: the program is missing, or failed.
    """
    path = shutil.which(program)
    if path is None:
        raise ClientProgramError(
            f"{program} is missing: install PostgreSQL's client programs",
            _("falta {program}: instala los programas de cliente de PostgreSQL").format(program=program),
        )
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
