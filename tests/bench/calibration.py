"""Measurement of this machine's current speed: `python -m tests.bench.calibration`.

A goal in milliseconds, requests a second or minutes holds at calibration 1.0 and scales with it: at 2.0 everything
may take twice as long. 1.0 is a quiet machine with two virtual cores; a shared machine measures more.
"""

import hashlib
import json
import sqlite3
import time
from collections import defaultdict
from dataclasses import dataclass

QUIET_SECONDS = 0.077
"""The best time of `_run_workload` in many rounds on the machine of the goals: two virtual cores, Python 3.11."""
ROUNDS = 7
PRODUCTS = 1_000


@dataclass(frozen=True, slots=True)
class _Product:
    number: int
    title: str
    price: int


def measure_calibration() -> float:
    """Return how many times slower this machine is now than the quiet machine of the goals. Takes about a second."""
    return min(_time_workload() for _round in range(ROUNDS)) / QUIET_SECONDS


def format_goal(goal_ms: float) -> str:
    """Format a goal in milliseconds: for the quiet machine, and scaled to the current speed of this one."""
    calibration = measure_calibration()
    return f"{goal_ms:.0f} ms at calibration 1.0, {goal_ms * calibration:.0f} ms now, at {calibration:.2f}"


def _time_workload() -> float:
    started = time.perf_counter()
    _run_workload()
    return time.perf_counter() - started


def _run_workload() -> None:
    """Do a sample of the shop's work: objects, JSON, a database and a hash."""
    products = [
        _Product(number, f"Trompo {number * 7919 % PRODUCTS:04}", number % 90 * 1_000)
        for number in range(PRODUCTS)
    ]
    for _repeat in range(16):
        by_price: dict[int, list[_Product]] = defaultdict(list)
        for product in sorted(products, key=lambda product: product.title):
            by_price[product.price].append(product)
        rows = [
            {"id": product.number, "title": product.title.casefold(), "price": price, "total": f"$ {price:,}"}
            for price, group in sorted(by_price.items())
            for product in group
        ]
    for _repeat in range(6):
        rows = json.loads(json.dumps({"products": rows}))["products"]
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE product (id INTEGER PRIMARY KEY, title TEXT, price INTEGER)")
    database.execute("CREATE INDEX product_title ON product (title)")
    for _repeat in range(4):
        database.execute("DELETE FROM product")
        database.executemany("INSERT INTO product VALUES (:id, :title, :price)", rows)
        for price in range(0, 90_000, 1_000):
            database.execute(
                "SELECT * FROM product WHERE price = ? ORDER BY title LIMIT 24", [price]
            ).fetchall()
    database.close()
    hashlib.scrypt(b"trompo", salt=b"trompo", n=2**12, r=8, p=1)


if __name__ == "__main__":
    print(
        f"calibration {measure_calibration():.2f}: goals hold at 1.0, which is a quiet machine; more is slower"
    )
