"""How much time the shop adds to the carrier's own answer: `python -m tests.bench.bench_quotation`.

The embedded carrier answers over a real socket. The bare request is the same HTTP exchange without the shop around it;
the difference is what packing, validating, single flight and choosing the cheapest rate cost.
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
from backend.sandbox.carrier import Fault, SandboxCarrier, sandbox_carrier
from backend.shipping.packages import Item, packages_for
from backend.shipping.providers.carrier.client import USER_AGENT, CarrierPolicy, carrier_client
from backend.shipping.providers.carrier.provider import CarrierStandard
from backend.shipping.providers.carrier.requests import quotation_for
from tests.backend.shipping.samples import quote_request
from tests.backend.shipping.serving import served

ROUNDS = 500
AT_ONCE = 200
HANGS, HANG_SECONDS = 20, 0.25


async def timed(call: Callable[[], Awaitable[object]]) -> list[float]:
    """Milliseconds of each of many calls, one after the other, once warm."""
    for _ in range(20):
        await call()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        await call()
        times.append((time.perf_counter() - start) * 1000)
    return sorted(times)


def told(name: str, times: list[float]) -> None:
    """One line of the report."""
    print(f"{name:34} p50 {statistics.median(times):6.2f} ms   p95 {times[int(len(times) * 0.95)]:6.2f} ms")


async def main() -> None:
    """Measure and print."""
    with TemporaryDirectory() as folder:
        database = Database(f"sqlite+aiosqlite:///{folder}/carrier.db")  # quotations need no tables
        await measure(sandbox_carrier(Settings(), database))
        await database.close()


async def measure(carrier: SandboxCarrier) -> None:
    """Measure a quotation of this carrier, and print."""
    with served(carrier.app) as url:
        base_url = f"{url}/api/v2"
        client = carrier_client(
            Settings(carrier_api_url=base_url), httpx.AsyncHTTPTransport(), CarrierPolicy()
        )
        provider = CarrierStandard(client)
        body = quotation_for(quote_request()).body()
        headers = {"Authorization": SANDBOX_CARRIER_KEY, "User-Agent": USER_AGENT}

        async with httpx.AsyncClient(base_url=base_url, headers=headers) as bare:
            without = await timed(lambda: bare.post("/quotation", json=body))
        told("bare request", without)

        def whole() -> Awaitable[object]:
            packages = packages_for([Item(2), Item(1, 0.4, 30, 20, 5)])
            return provider.calculate_price(quote_request(packages=packages))

        within = await timed(whole)
        told("price of a cart", within)
        print(f"{'overhead':34} p50 {statistics.median(within) - statistics.median(without):6.2f} ms")

        carrier.requests.clear()
        start = time.perf_counter()
        await asyncio.gather(*(provider.calculate_price(quote_request()) for _ in range(AT_ONCE)))
        took = (time.perf_counter() - start) * 1000
        print(
            f"{AT_ONCE} shoppers, the same parcel, at once: {took:.1f} ms, {len(carrier.requests)} question(s)"
        )
        await client.close()

        carrier.faults.plan(Fault.HANG)
        hurried = carrier_client(
            Settings(carrier_api_url=base_url),
            httpx.AsyncHTTPTransport(),
            replace(CarrierPolicy(), quotation=HANG_SECONDS),
        )
        late = []
        for _ in range(HANGS):
            start = time.perf_counter()
            await CarrierStandard(hurried).calculate_price(quote_request())
            late.append((time.perf_counter() - start - HANG_SECONDS) * 1000)
        told("carrier hangs: beyond its time-out", sorted(late))
        await hurried.close()


if __name__ == "__main__":
    asyncio.run(main())
