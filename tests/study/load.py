"""Load: many participants who read, think a little and answer, sending every form twice as impatient people do."""

from __future__ import annotations

import asyncio
import re
from time import perf_counter

import httpx2


async def many_participants(url: str, people: int, trials: int, *, pause_s: float) -> tuple[list[float], list[int]]:
    """Let so many people take part at once; return how long each reply took [s] and its status."""
    taken_s: list[float] = []
    statuses: list[int] = []
    limits = httpx2.Limits(max_connections=people, max_keepalive_connections=people)
    async with httpx2.AsyncClient(base_url=url, limits=limits, timeout=60.0) as client:

        async def ask(method: str, path: str, form: dict[str, str] | None = None) -> httpx2.Response:
            started = perf_counter()
            reply = await client.request(method, path, data=form)
            taken_s.append(perf_counter() - started)
            statuses.append(reply.status_code)
            return reply

        async def take_part(index: int) -> None:
            await asyncio.sleep(pause_s * index / people)
            welcome = await ask("GET", "/")
            ticket = re.search(r'name="ticket" value="([^"]+)"', welcome.text)
            assert ticket is not None, f"{welcome.status_code}: {welcome.text[-600:]}"
            form = {"ticket": ticket[1], "language": "en", "agree": "1", "age": "30", "gender": "none"}
            await asyncio.gather(ask("POST", "/start", form), ask("POST", "/start", form))
            for trial in range(1, trials + 1):
                page = await ask("GET", f"/p/{ticket[1]}")
                assert f"Movement {trial} of {trials}" in page.text, f"{page.status_code}: {page.text[-600:]}"
                await asyncio.sleep(pause_s)
                answer = {"trial": str(trial), "answer": "sad", "response_ms": "800", "plays": "1"}
                await asyncio.gather(ask("POST", f"/p/{ticket[1]}", answer), ask("POST", f"/p/{ticket[1]}", answer))

        await asyncio.gather(*(take_part(index) for index in range(people)))
    return taken_s, statuses
