"""Whether Redis answers, for `/readyz`. Pages' states live there where there are several processes."""

from redis.asyncio import Redis

from backend.edge.readiness import CHECK_SECONDS, OK


class RedisCheck:
    """One connection that asks Redis whether it is there."""

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(
            url, socket_timeout=CHECK_SECONDS, socket_connect_timeout=CHECK_SECONDS, max_connections=1
        )

    async def start(self) -> None:
        """The connection is opened by the first look."""

    async def stop(self) -> None:
        """Close the connection."""
        await self._redis.aclose()

    async def look(self) -> str:
        """`ok`, or what is wrong. A replica of Redis answers, too, and takes no writes.

        Raises:
            RedisError: it does not answer.
        """
        info = await self._redis.info("replication")
        return OK if info["role"] == "master" else "it takes no writes"
