"""How many frames per second does the survey's canvas draw in a browser with forty point lights?

    python benchmarks/bench_study_canvas.py

Headless Chromium draws on the processor, without a graphics card; `draw_ms` is what one picture costs the script,
`frames_per_s` how many the browser showed. Required: 60.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from record import Row, benchmark_parser, record, skip

sys.path.insert(0, str(Path(__file__).parent.parent))  # the browser is found as the tests find it

from tests.study.real_parts import CHROMIUM, CHROMIUM_ARGUMENTS

from strut.study.server.survey_pages import static_file

SECONDS = 5.0
NEEDED = 59.0
SCRIPT = """([points, seconds]) => new Promise((done) => {
    const frames = Math.round(30 * seconds) + 1, xy = [];
    for (let k = 0; k < frames * points * 2; k += 1) xy.push(Math.round(3000 * Math.sin(k * 0.37)));
    const stimulus = {kind: "points", rate_hz: 30, unit: 4000, aspect: 4 / 3, frames, points, xy, grid: []};
    const canvas = document.querySelector("canvas"), stage = new window.Stage(canvas, stimulus);
    const before = performance.now();
    for (let k = 0; k < 300; k += 1) stage.draw(seconds * k / 300);
    const draw_ms = (performance.now() - before) / 300, times = [], draw = stage.draw.bind(stage);
    stage.draw = (at) => { times.push(performance.now()); draw(at); };
    stage.onend = () => done({draw_ms, per_s: (times.length - 1) / (times[times.length - 1] - times[0]) * 1000});
    stage.play();
})"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and record; quick: forty points for half a second."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    if CHROMIUM is None:
        skip("Chromium is not installed.")
    seconds = 0.5 if quick else SECONDS
    rows: list[Row] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        for points in (40,) if quick else (17, 40, 80):
            page = browser.new_page(viewport={"width": 1000, "height": 800})
            page.set_content("<canvas style='width: 800px'></canvas>")
            page.add_script_tag(content=static_file("stage.js").decode())
            found = page.evaluate(SCRIPT, [points, seconds])
            page.close()
            rows.append(
                {
                    "case": f"{points} points",
                    "draw_ms": round(found["draw_ms"], 3),
                    "frames_per_s": round(found["per_s"], 1),
                    "fast_enough": found["per_s"] >= NEEDED,
                }
            )
        browser.close()
    record("study_canvas", rows, packages=("strut", "playwright"), quick=quick)


if __name__ == "__main__":
    main()
