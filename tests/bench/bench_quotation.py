"""Time that the shop adds to the carrier's own answer: `python -m tests.bench.bench_quotation`.

The embedded carrier answers over a real socket. The bare request is the same HTTP exchange without the shop around
it; the difference is the cost of packing, validating, single flight and choosing the cheapest rate.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from tempfile import TemporaryDirectory

import httpx

from backend.core.config.settings import SANDBOX_CARRIER_KEY, Settings
from backend.core.db.database import Database
from backend.sandbox.carrier import Fault, SandboxCarrier, create_sandbox_carrier
from backend.shipping.packages import Item, pack_items
from backend.shipping.providers.carrier.client import USER_AGENT, CarrierPolicy, create_carrier_client
from backend.shipping.providers.carrier.provider import CarrierStandard
from backend.shipping.providers.carrier.requests import to_quotation
from tests.backend.shipping.samples import quote_request
from tests.backend.shipping.serving import served

ROUNDS = 500
CONCURRENCY = 200
HANG_ROUNDS, HANG_TIMEOUT_S = 20, 0.25


async def measure_calls(call: Callable[[], Awaitable[object]]) -> list[float]:
    """Call repeatedly after a warm-up, one call at a time. Return the sorted durations in milliseconds."""
    for _ in range(20):
        await call()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        await call()
        times.append((time.perf_counter() - start) * 1000)
    return sorted(times)


def print_row(name: str, times: list[float]) -> None:
    """Print one line of the report."""
    print(f"{name:34} p50 {statistics.median(times):6.2f} ms   p95 {times[int(len(times) * 0.95)]:6.2f} ms")


async def main() -> None:
    """Measure and print."""
    with TemporaryDirectory() as folder:
        database = Database(f"sqlite+aiosqlite:///{folder}/carrier.db")  # quotations need no tables
        await measure(create_sandbox_carrier(Settings(), database))
        await database.close()


async def measure(carrier: SandboxCarrier) -> None:
    """Measure and print the durations of a direct quotation request, and of the price of a cart."""
    with served(carrier.app) as url:
        base_url = f"{url}/api/v2"
        client = create_carrier_client(
            Settings(carrier_api_url=base_url), httpx.AsyncHTTPTransport(), CarrierPolicy()
        )
        provider = CarrierStandard(client)
        body = to_quotation(quote_request()).body()
        headers = {"Authorization": SANDBOX_CARRIER_KEY, "User-Agent": USER_AGENT}

        async with httpx.AsyncClient(base_url=base_url, headers=headers) as bare:
            bare_times = await measure_calls(lambda: bare.post("/quotation", json=body))
        print_row("bare request", bare_times)

        def quote_cart() -> Awaitable[object]:
            packages = pack_items([Item(2), Item(1, 0.4, 30, 20, 5)])
            return provider.calculate_price(quote_request(packages=packages))

        shop_times = await measure_calls(quote_cart)
        print_row("price of a cart", shop_times)
        print(f"{'overhead':34} p50 {statistics.median(shop_times) - statistics.median(bare_times):6.2f} ms")

        carrier.requests.clear()
        start = time.perf_counter()
        await asyncio.gather(*(provider.calculate_price(quote_request()) for _ in range(CONCURRENCY)))
        duration = (time.perf_counter() - start) * 1000
        print(
            f"{CONCURRENCY} shoppers, the same parcel, at once: {duration:.1f} ms, {len(carrier.requests)} request(s)"
        )
        await client.close()

        carrier.faults.plan(Fault.HANG)
        short_client = create_carrier_client(
            Settings(carrier_api_url=base_url),
            httpx.AsyncHTTPTransport(),
            replace(CarrierPolicy(), quotation=HANG_TIMEOUT_S),
        )
        delays = []
        for _ in range(HANG_ROUNDS):
            start = time.perf_counter()
            await CarrierStandard(short_client).calculate_price(quote_request())
            delays.append((time.perf_counter() - start - HANG_TIMEOUT_S) * 1000)
        print_row("carrier hangs: beyond its time-out", sorted(delays))
        await short_client.close()


if __name__ == "__main__":
    asyncio.run(main())
