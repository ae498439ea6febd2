"""The Redis cache, with a local fallback while Redis is out of reach."""

from __future__ import annotations

import time
from typing import Any, Final

import structlog
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from blackjack_site.conf.local_cache import LocalCache

log = structlog.get_logger()

PATIENCE: Final = 1.0
"""Seconds that a request waits for Redis."""
ALONE: Final = 5.0
"""Seconds after an error before Redis is tried again."""


class RedisCacheWithLocalFallback(RedisCache):
    """A cache of short-lived counters. A lost counter is acceptable, a failing page is not."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        patience = {"socket_connect_timeout": PATIENCE, "socket_timeout": PATIENCE}
        options = {**patience, "retry": Retry(NoBackoff(), 0), **params.get("OPTIONS", {})}
        super().__init__(server, {**params, "OPTIONS": options})
        self._own = LocalCache("out of reach", params)
        self._alone_until = 0.0

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> Any:
        return self._count("add", key, value, timeout, version)

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        return self._count("get", key, default, version)

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> Any:
        return self._count("set", key, value, timeout, version)

    def delete(self, key: Any, version: Any = None) -> Any:
        return self._count("delete", key, version)

    def _count(self, how: str, *args: Any) -> Any:
        if time.monotonic() >= self._alone_until:
            try:
                return getattr(super(), how)(*args)
            except RedisError as error:
                log.warning("counts_out_of_reach", error=repr(error))
                self._alone_until = time.monotonic() + ALONE
        return getattr(self._own, how)(*args)
