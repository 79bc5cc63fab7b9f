"""Pepper's published numbers beside ours: what agrees, and which misprints are found."""

import json
import subprocess
import sys
from functools import cache

from strut.cli.main import main
from strut.reproduction.systems import reproduce


@cache
def rows():
    return reproduce("pepper")


def row(quantity):
    (found,) = [one for one in rows() if one.quantity == quantity]
    return found


def test_nothing_differs_that_is_no_known_misprint():
    assert [one.quantity for one in rows() if one.verdict == "differs"] == []
    assert sum(one.verdict == "same" for one in rows()) > 80


def test_text_and_json_keep_constants_and_formulas_apart_and_state_every_tolerance(capsys):
    assert main(["reproduce", "pepper", "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)
    assert {table["kind"] for table in tables} == {"computed", "constant", "formula"}
    for table in tables:
        assert (table["verdict"] == "same") <= (table["kind"] == "computed"), table["quantity"]
        assert (table["tolerance"] is None) == (table["verdict"] in ("erratum", "ours only")), table["quantity"]
    assert main(["reproduce", "pepper"]) == 0
    text, summary = capsys.readouterr()
    counted, _, others = text.partition("Not counted, ")
    assert "tolerance" in counted
    assert "given" not in counted
    assert "given," in others
    assert "same" not in others
    same = sum(table["verdict"] == "same" for table in tables)
    given = sum((table["kind"], table["verdict"]) == ("formula", "given") for table in tables)
    assert f"{same} same" in summary
    assert f"{given} formula, given" in summary


def test_every_erratum_that_can_be_computed_is_there():
    assert {one.erratum for one in rows() if one.erratum} == {
        "P5", "P10", "P15", "P20", "P21", "P22", "P23", "P24", "P25", "P26",
    }  # fmt: skip


def test_the_tables_of_the_study_are_the_rows_of_studies():
    assert {one.quantity for one in rows() if one.group.startswith("Pepper, Table")} >= {
        "answers to calm",
        "effect size of arousal, HHL",
        "interval of gaze on arousal, high activity",
    }
    study = [one for one in reproduce("studies") if one.group.startswith("Pepper, Table")]
    assert [one for one in rows() if one.group.startswith("Pepper, Table")] == study


def test_the_corrected_law_tracks_the_gaze_and_the_printed_one_does_not():
    gaze = row("mean and largest gaze error while waving")
    assert gaze.published[0] > 0.03
    assert gaze.ours[1] < 0.002
    assert row("median relative error of the head velocity").published[0] > 1.5


def test_no_package_of_plots_is_loaded_for_the_numbers():
    """Pingouin draws, too, and takes longer to load than all that is asked of it."""
    words = "import sys, strut.reproduction.pepper; print({'pingouin', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
