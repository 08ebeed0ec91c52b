"""Mutated files for every parser of a running shop, while other clients request pages.

`python -m tests.failure.parsers --files 10000` continues the run of this seed; `--only 17` sends one file again.
The serving processes must never end, and no answer may be 5xx except 503 with `Retry-After`. The 99th percentile of
the concurrent page requests must be at most `MAX_RATIO` times that during valid spreadsheets of 10,000 rows, which
are sent regularly. No route accepts labels (PDF) or the XML of invoices: their parsers are called here.
"""

import argparse
import asyncio
import logging
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from backend.fulfillment.label_merging import merge_labels
from backend.sandbox.invoicing.rules import read_document
from tests.e2e.conftest import ShopServer
from tests.failure.mutations import MutatedFile, Mutations, valid_spreadsheet
from tests.failure.progress import Progress

STAFF = ("staff@trompo.example", "una clave muy larga")
RESULTS_FOLDER = Path("test-results/parsers")
BLOCK_SIZE = 250
"""Number of mutated files between two blocks of valid files."""
VALID_PER_BLOCK = 2
CONCURRENCY = 2
MAX_TRIES = 20
PICTURE_LIST = b"Nombre;Precio;Fotos\nTrompo;5;trompo.jpg|otra.png\n"
PROBE_INTERVAL_S = 0.05
MAX_RATIO = 3.0
MAX_FAILURES = 50
IMPORTS_PATH = "/admin/imports"
PATHS = {"xlsx": IMPORTS_PATH, "csv": IMPORTS_PATH, "zip": "/admin/import-pictures"}
UPLOADS_PATH = "/admin/uploads"
PROBES = ("/", "/catalog", "/health")


@dataclass
class Figures(Progress):
    """Progress of a run: the files sent so far, their outcomes, and measurements."""

    files: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    ends: int = 0
    """Serving processes that ended."""
    busy: dict[str, int] = field(default_factory=dict)
    """Concurrent page requests answered with 503, by path."""
    beside_valid_ms: list[int] = field(default_factory=list)
    beside_mutated_ms: list[int] = field(default_factory=list)
    slowest_ms: dict[str, int] = field(default_factory=dict)
    most_memory_mib: int = 0

    def count(self, kind: str, outcome: object) -> None:
        """Count one more file of this kind that ended with this outcome, such as `200` or `unreadable`."""
        key = f"{kind} {outcome}"
        self.statuses[key] = self.statuses.get(key, 0) + 1

    def fail(self, text: str) -> None:
        """Record a failure."""
        print(text, flush=True)
        self.failures = [*self.failures, text][:MAX_FAILURES]


class ParserRun:
    """One run that sends mutated files to a shop."""

    def __init__(self, shop: ShopServer, client: httpx.AsyncClient, figures: Figures) -> None:
        self.shop, self.client, self.figures = shop, client, figures
        self.mutations = Mutations(figures.seed)
        self.valid = valid_spreadsheet(10_000)

    async def sign_in(self) -> None:
        """Sign a staff member in."""
        answer = await self.client.post(
            "/auth/user/emailpass", json={"email": STAFF[0], "password": STAFF[1]}
        )
        self.client.headers["Authorization"] = f"Bearer {answer.json()['token']}"

    async def send_valid(self) -> None:
        """Send a spreadsheet of 10,000 rows."""
        (await self.client.post(IMPORTS_PATH, files={"file": ("lista.xlsx", self.valid)})).raise_for_status()

    async def new_import(self) -> str:
        """Create an import that takes a zip of pictures. Return its id, or an unknown id if it is refused."""
        answer = await self.client.post(IMPORTS_PATH, files={"file": ("lista.csv", PICTURE_LIST)})
        return str(answer.json()["product_import"]["id"]) if answer.status_code == 200 else "imp_none"

    async def run(self, until: int) -> None:
        """Send files in blocks until `until` files have been sent."""
        while self.figures.files < until:
            pids = serving_pids(self.shop)
            async with ConcurrentRequests(self.client, self.figures.beside_valid_ms, self.figures):
                for _ in range(VALID_PER_BLOCK):
                    await self.send_valid()
            numbers = iter(range(self.figures.files, min(until, self.figures.files + BLOCK_SIZE)))
            async with ConcurrentRequests(self.client, self.figures.beside_mutated_ms, self.figures):
                await asyncio.gather(*(self.send_all(numbers) for _ in range(CONCURRENCY)))
            self.figures.files = min(until, self.figures.files + BLOCK_SIZE)
            if ended := pids - serving_pids(self.shop):
                self.figures.ends += len(ended)
                self.figures.fail(f"{len(ended)} processes ended before file {self.figures.files}")
            self.figures.most_memory_mib = max(self.figures.most_memory_mib, memory_mib(self.shop, pids))
            self.figures.write(RESULTS_FOLDER)
            report(self.figures)

    async def send_all(self, numbers: Iterator[int]) -> None:
        """Send the files of these numbers. Concurrent calls may share the iterator."""
        for number in numbers:
            await self.send(self.mutations.build_file(number))

    async def send(self, file: MutatedFile) -> None:
        """Send a file to its parser, and count its outcome."""
        started = time.monotonic()
        try:
            outcome = await self._outcome(file)
        except Exception as error:  # noqa: BLE001 - the test looks for any exception of a parser
            outcome = type(error).__name__
            self.figures.fail(f"file {file.number} ({file.kind}): {outcome} {error}"[:300])
        self.figures.count(file.kind, outcome)
        took = round((time.monotonic() - started) * 1_000)
        self.figures.slowest_ms[file.kind] = max(took, self.figures.slowest_ms.get(file.kind, 0))

    async def _outcome(self, file: MutatedFile) -> str:
        if file.kind == "pdf":
            return (
                "merged" if await asyncio.to_thread(merge_labels, [("fuzz", file.content)]) else "unreadable"
            )
        if file.kind == "xml":
            return type(await asyncio.to_thread(read_document, file.content, {}, ("", ""))).__name__
        path = PATHS.get(file.kind, UPLOADS_PATH)
        upload = {"files" if path == UPLOADS_PATH else "file": (file.name, file.content)}
        for _try in range(MAX_TRIES):
            query = {"id": await self.new_import()} if file.kind == "zip" else {}
            answer = await self.client.post(path, files=upload, params=query)
            if answer.status_code in {429, 503} and "retry-after" in answer.headers:
                await asyncio.sleep(min(5.0, float(answer.headers["retry-after"])))
            elif answer.status_code != 404:  # another sender's spreadsheet has replaced the import
                break
        if answer.status_code >= 500:
            self.figures.fail(f"file {file.number} ({file.kind}): {answer.status_code} {answer.text[:200]}")
        return str(answer.status_code)


class ConcurrentRequests:
    """A context that requests pages at a steady rate, and adds the milliseconds of each to `taken_ms`."""

    def __init__(self, client: httpx.AsyncClient, taken_ms: list[int], figures: Figures) -> None:
        self._client, self._taken_ms, self._figures = client, taken_ms, figures

    async def __aenter__(self) -> None:
        self._task = asyncio.create_task(self._send_requests())

    async def __aexit__(self, *_error: object) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _send_requests(self) -> None:
        rng = random.Random(len(self._taken_ms))
        while True:
            started = time.monotonic()
            try:
                answer = await self._client.get(rng.choice(PROBES))
            except httpx.TransportError as error:
                self._figures.fail(f"a page request failed: {type(error).__name__}")
                continue
            if (
                answer.status_code == 503
            ):  # the machine may be too busy for the database's probe, without a fault of the parser
                self._figures.busy[answer.url.path] = self._figures.busy.get(answer.url.path, 0) + 1
            elif answer.status_code != 200:
                self._figures.fail(f"a page request was answered with {answer.status_code}")
            took = time.monotonic() - started
            self._taken_ms.append(round(took * 1_000))
            await asyncio.sleep(max(0.0, PROBE_INTERVAL_S - took))


def serving_pids(shop: ShopServer) -> set[int]:
    """Return the ids of the shop's processes, except the child processes that parse spreadsheets."""
    assert shop.process is not None
    parent = psutil.Process(shop.process.pid)
    pids = {parent.pid}
    for process in parent.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "spreadsheet_reader" not in " ".join(process.cmdline()):
                pids.add(process.pid)
    return pids


def memory_mib(shop: ShopServer, pids: set[int]) -> int:
    """Return the memory (RSS) of these processes of the shop, in MiB."""
    assert shop.process is not None
    total = 0
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            total += psutil.Process(pid).memory_info().rss
    return total >> 20


def percentile_99(taken_ms: list[int]) -> int:
    """Return the 99th percentile."""
    return sorted(taken_ms)[int(len(taken_ms) * 0.99)] if taken_ms else 0


def report(figures: Figures) -> None:
    """Print the figures."""
    valid, mutated = percentile_99(figures.beside_valid_ms), percentile_99(figures.beside_mutated_ms)
    print(
        f"{figures.files} files; p99 during mutated {mutated} ms ({len(figures.beside_mutated_ms)} requests), during "
        f"valid {valid} ms ({len(figures.beside_valid_ms)}), ratio {mutated / max(1, valid):.2f}; "
        f"{figures.ends} processes ended; {figures.most_memory_mib} MiB; busy {figures.busy}",
        flush=True,
    )


def has_passed(figures: Figures) -> bool:
    """Return True if the run has no failure, no ended process and an acceptable latency ratio."""
    ratio = percentile_99(figures.beside_mutated_ms) / max(1, percentile_99(figures.beside_valid_ms))
    return not figures.failures and not figures.ends and ratio <= MAX_RATIO


async def main(files: int, seed: int, only: int | None) -> bool:
    """Continue the stored run until `files` files are sent, or send only the file with the number `only`.

    Return True if there is no failure.
    """
    figures = Figures.read(RESULTS_FOLDER, seed) if only is None else Figures(seed)
    with tempfile.TemporaryDirectory() as folder:
        environment = {"ADMIN_EMAIL": STAFF[0], "ADMIN_PASSWORD": STAFF[1]}
        shop = ShopServer(Path(folder), environment=environment)
        shop.start()
        try:
            async with httpx.AsyncClient(base_url=shop.url, timeout=300) as client:
                parser_run = ParserRun(shop, client, figures)
                await parser_run.sign_in()
                if only is None:
                    await parser_run.run(files)
                else:
                    await parser_run.send(parser_run.mutations.build_file(only))
        finally:
            shop.stop()
    print("\n".join(f"{outcome:>24}: {times}" for outcome, times in sorted(figures.statuses.items())))
    print(f"slowest, ms: {figures.slowest_ms}")
    return has_passed(figures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="send only this file again")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)  # unreadable labels are logged
    sys.exit(not asyncio.run(main(arguments.files, arguments.seed, arguments.only)))
