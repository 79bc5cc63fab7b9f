"""Real parts summary: the line at the end of a test run that names which real parts took part, and which did not.

Fixtures that give a test a real part note it as a property of the test, which also reaches us from parallel workers.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

PROPERTY = "real part"
PARTS = ("Chromium", "PostgreSQL", "ffmpeg")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Write the line."""
    ran = Counter[str]()
    skipped = Counter[str]()
    for outcome, counts in (("passed", ran), ("failed", ran), ("skipped", skipped)):
        for report in terminalreporter.stats.get(outcome, []):
            counts.update({part for name, part in getattr(report, "user_properties", ()) if name == PROPERTY})
    words = [
        f"{part} ({ran[part]} tests)" if ran[part] else f"{part} NOT HERE ({skipped[part]} tests skipped)"
        for part in PARTS
        if ran[part] or skipped[part]
    ]
    if words:
        terminalreporter.write_line(f"real parts: {', '.join(words)}")
