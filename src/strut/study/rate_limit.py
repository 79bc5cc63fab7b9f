"""Rate limit: a bucket per key that fills steadily; every request takes from it. In memory, forgets by itself."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

_MOST_KEYS = 50_000  # oldest are forgotten first, so that an attacker with many addresses cannot fill the memory


class RateLimit:
    """Lets each key do `burst` things at once and `per_minute` in the long run."""

    def __init__(self, *, burst: int, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.burst, self.per_second, self.clock = burst, per_minute / 60.0, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, key: str) -> bool:
        """Whether `key` may do one thing more now; if so it counts."""
        now = self.clock()
        left, since = self._buckets.pop(key, (float(self.burst), now))
        left = min(float(self.burst), left + (now - since) * self.per_second)
        allowed = left >= 1.0
        self._buckets[key] = (left - 1.0 if allowed else left, now)
        while len(self._buckets) > _MOST_KEYS:
            self._buckets.popitem(last=False)
        return allowed
