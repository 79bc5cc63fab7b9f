"""Middleware: security headers and limits on the size and rate of all requests."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from strut.errors import BadReplyError, TooLargeError

LARGEST_BODY_BYTES = 65_536  # free answers in words need room: a letter takes up to nine bytes in a form
_MAX_FIELDS = 64  # the longest form has about 20
_MAX_KEYS = 50_000  # the oldest are dropped, so that an attacker with many addresses cannot fill the memory
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",  # the address holds the participant's secret
    "permissions-policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-robots-tag": "noindex",
}
RESEARCHER_HEADERS = {
    **HEADERS,
    "referrer-policy": "same-origin",  # no secret in these addresses; with no-referrer, forms have the origin "null"
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How many requests one address may send: in total, for new sessions, and for the researcher's login."""

    requests_per_minute: int = 6000
    starts_per_minute: int = 120
    logins_per_minute: int = 10


class RateLimit:
    """Token bucket per key: allows `burst` requests at once and `per_minute` in the long run."""

    def __init__(self, *, burst: int, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.burst = burst
        self.per_second = per_minute / 60.0
        self.clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, key: str) -> bool:
        """Return whether a request of `key` is allowed now, and count it if so."""
        now = self.clock()
        left, since = self._buckets.pop(key, (float(self.burst), now))
        left = min(float(self.burst), left + (now - since) * self.per_second)
        allowed = left >= 1.0
        self._buckets[key] = (left - 1.0 if allowed else left, now)
        while len(self._buckets) > _MAX_KEYS:
            self._buckets.popitem(last=False)
        return allowed


class SecurityMiddleware:
    """ASGI middleware that limits the rate of each address and adds security headers to every response."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self.limit = RateLimit(burst=limits.requests_per_minute // 2, per_minute=limits.requests_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application, or refuse it with status 429."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_researcher_page = scope["path"].startswith("/researcher")
                for name, value in (RESEARCHER_HEADERS if is_researcher_page else HEADERS).items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        address = scope["client"][0] if scope.get("client") else "unknown"
        if not self.limit.allows(address):
            refusal = PlainTextResponse("Too many requests.", 429, {"retry-after": "60"})
            await refusal(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)


async def small_form(request: Request) -> dict[str, str]:
    """Return the fields of a posted form; raise BadReplyError or TooLargeError for anything but a small form."""
    kind = request.headers.get("content-type", "").split(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        raise BadReplyError("only forms are accepted.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY_BYTES:
            raise TooLargeError("the form is too large.")
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MAX_FIELDS, errors="strict")
    except ValueError as error:
        raise BadReplyError("the form is not readable.") from error
    return dict(pairs)
