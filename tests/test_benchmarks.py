"""Every benchmark runs: `--quick` measures its smallest case. Long ones are marked and run with `make bench-quick`."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from strut.adoption.adopt import adopt
from tests.adoption.small_robots import quadruped, write_xml

FOLDER = Path(__file__).parents[1] / "benchmarks"
NAMES = sorted(path.stem for path in FOLDER.glob("bench_*.py"))
LONG = {  # a solved human gait, a server or a recorded walk: more than three seconds of processor time
    *("bench_capture_time", "bench_explain", "bench_gait_bands", "bench_gait_library", "bench_goals"),
    *("bench_human_bodies", "bench_human_feelings", "bench_human_transitions", "bench_human_waiting"),
    *("bench_landing_audit", "bench_marker_fit", "bench_reconstruction", "bench_reconstruction_accuracy"),
    *("bench_recorded_person", "bench_study_report", "bench_study_server", "bench_synthesis", "bench_warm_start"),
    "bench_impossible",
    "bench_remeasure",
    "bench_whole_body_control",
}
APART = {"bench_study_canvas"}  # Playwright's loop of this process belongs to the tests of pages
RUNS = [pytest.param(name, marks=pytest.mark.benchmark) if name in LONG else name for name in NAMES]


@pytest.fixture
def _benchmarks_are_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def written():
    """Return the result files, with when each was changed."""
    return {path: path.stat().st_mtime_ns for path in (FOLDER / "results").iterdir()}


def output_of(name, capsys):
    """Run a benchmark quickly and return what it prints."""
    if name in APART:
        script = [sys.executable, FOLDER / f"{name}.py", "--quick"]
        return subprocess.run(script, capture_output=True, text=True, check=True, timeout=60).stdout
    try:
        importlib.import_module(name).main(["--quick"])
    except ModuleNotFoundError as missing:
        pytest.skip(f"{missing.name} is not installed")
    except SystemExit as end:
        if end.code != 0:
            pytest.fail(f"ends with {end.code}")
    return capsys.readouterr().out


@pytest.mark.usefixtures("_benchmarks_are_importable")
@pytest.mark.parametrize("name", RUNS)
def test_a_quick_run_prints_a_row_and_records_nothing(name, capsys):
    before = written()
    output = output_of(name, capsys)
    if output.startswith("skipped:"):
        pytest.skip(output.strip())
    lines = output.splitlines()
    header = next(line for line in lines if "," in line)
    assert len(lines) > lines.index(header) + 1, "a header, and no row"
    assert written() == before


@pytest.mark.benchmark
@pytest.mark.usefixtures("_benchmarks_are_importable")
def test_a_sweep_uses_the_controller_of_each_receipt_and_goes_on_where_it_ended(tmp_path, capsys):
    adopt(write_xml(quadruped(), tmp_path / "four.xml"), out=tmp_path / "robots" / "four")
    sweep = importlib.import_module("sweep_adopted")
    arguments = [str(tmp_path / "robots"), str(tmp_path / "rows.csv"), "--emotions", "neutral"]
    sweep.main(arguments)
    rows = sweep.read(tmp_path / "rows.csv")
    assert len(rows) == 8
    assert sum(row["drawn"] == "True" for row in rows) == 4
    assert {row["controller"] for row in rows} <= {"servos", "balance", "whole_body"}
    assert "controllers: {" in capsys.readouterr().out
    sweep.main(arguments)
    assert sweep.read(tmp_path / "rows.csv") == rows


@pytest.mark.usefixtures("_benchmarks_are_importable")
def test_a_table_of_a_sweep_says_with_which_controllers_robots_walked(tmp_path):
    """Made of rows, one robot of which refuses every emotion."""
    sweep = importlib.import_module("sweep_adopted")
    row = {"legs": "4", "joints": "12", "features": ""}
    walked = {**row, "robot": "four", "verdict": "ok", "kept": "1.0", "fell": "False", "distance_share": "0.97"}
    walked |= {"slip_mm": "2.5", "body_lengths_s": "0.85", "drawn": "False"}
    refused = {**row, "robot": "none", "verdict": "refused"}
    refused |= dict.fromkeys(("kept", "controller", "fell", "distance_share", "slip_mm", "body_lengths_s"), "")
    rows = [
        {**walked, "emotion": name, "controller": "balance" if name == "sad" else "servos"} for name in sweep.EMOTIONS
    ]
    sweep.write_table([*rows, *({**refused, "emotion": name} for name in sweep.EMOTIONS)], tmp_path / "table.md")
    lines = (tmp_path / "table.md").read_text("utf-8").splitlines()
    cells = [cell.strip() for cell in next(line for line in lines if line.startswith("| four")).split("|")]
    assert "servos 4, balance 1" in cells
    assert "0 of 5" in cells
    assert any(line.startswith("| none | 12 |  | refused |") for line in lines)
