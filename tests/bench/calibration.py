"""How quick this machine is now: `python -m tests.bench.calibration`.

A goal in milliseconds, requests a second or minutes holds at calibration 1.0 and scales with it: at 2.0 everything may
take twice as long. 1.0 is a quiet machine with two virtual cores; whoever shares them with others measures more.
"""

import hashlib
import json
import sqlite3
import time
from collections import defaultdict
from dataclasses import dataclass

QUIET_SECONDS = 0.077
"""The best time of `_mix` in many rounds on the machine that the goals were set for: two virtual cores, Python 3.11."""
ROUNDS = 7
TOYS = 1_000


@dataclass(frozen=True, slots=True)
class _Toy:
    number: int
    title: str
    price: int


def measured() -> float:
    """How many times as long as the quiet machine this one takes; it takes about a second to find out."""
    return min(_seconds() for _round in range(ROUNDS)) / QUIET_SECONDS


def said_of_goal(goal_ms: float) -> str:
    """A goal in milliseconds as it stands, and what it comes to on this machine now."""
    calibration = measured()
    return f"{goal_ms:.0f} ms at calibration 1.0, {goal_ms * calibration:.0f} ms now, at {calibration:.2f}"


def _seconds() -> float:
    begun = time.perf_counter()
    _mix()
    return time.perf_counter() - begun


def _mix() -> None:
    """Some of each that the shop does: objects, JSON, a database, hashes."""
    toys = [_Toy(number, f"Trompo {number * 7919 % TOYS:04}", number % 90 * 1_000) for number in range(TOYS)]
    for _time in range(16):
        by_price: dict[int, list[_Toy]] = defaultdict(list)
        for toy in sorted(toys, key=lambda toy: toy.title):
            by_price[toy.price].append(toy)
        rows = [
            {"id": toy.number, "title": toy.title.casefold(), "price": price, "total": f"$ {price:,}"}
            for price, found in sorted(by_price.items())
            for toy in found
        ]
    for _time in range(6):
        rows = json.loads(json.dumps({"products": rows}))["products"]
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE toy (id INTEGER PRIMARY KEY, title TEXT, price INTEGER)")
    database.execute("CREATE INDEX toy_title ON toy (title)")
    for _time in range(4):
        database.execute("DELETE FROM toy")
        database.executemany("INSERT INTO toy VALUES (:id, :title, :price)", rows)
        for price in range(0, 90_000, 1_000):
            database.execute("SELECT * FROM toy WHERE price = ? ORDER BY title LIMIT 24", [price]).fetchall()
    database.close()
    hashlib.scrypt(b"trompo", salt=b"trompo", n=2**12, r=8, p=1)


if __name__ == "__main__":
    print(f"calibration {measured():.2f}: goals hold at 1.0, which is a quiet machine; more is slower")
