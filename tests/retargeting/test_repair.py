"""Repair: motions that break limits become feasible, with given and with detected contacts."""

from dataclasses import replace
from importlib import import_module
from time import sleep
from types import SimpleNamespace

import numpy as np
import pytest

from strut.animation.animate import preview_animation
from strut.cli import waiting
from strut.cli.main import main
from strut.errors import OutOfRangeError, RefusedError
from strut.formats.motion_file import save_motion
from strut.models.catalogue import load_robot
from strut.ocp.collocation import NotSolvedError
from strut.ocp.interior_point import OUT_OF_TIME
from strut.receipt import Reason, ReasonKind
from strut.retargeting import repair_drafts
from strut.retargeting.repair import repair
from strut.verify.check import check
from tests.stories import dance

repair_command = import_module("strut.retargeting.verbs.repair")


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture(scope="module")
def broken(cassie):
    return preview_animation(cassie, dance(beats=2, beat_s=0.28))


@pytest.mark.parametrize("detected", [False, True])
def test_a_motion_that_breaks_limits_is_repaired(cassie, broken, detected):
    assert check(broken, cassie).verdict == "refused"
    given = replace(broken, contact=np.zeros_like(broken.contact)) if detected else broken
    motion = repair(given, cassie)
    assert check(motion, cassie).verdict == "ok"
    assert motion.contact.all()
    report = motion.meta["repair"]
    assert 0.1 < report["away_mm"]["rms"] < 30.0
    assert report["duration_s"] >= report["drawn_s"] - 1e-6


def test_a_body_without_feet_is_not_repaired():
    pepper = load_robot("pepper")
    qpos = np.zeros((50, pepper.model.nq))
    motion = replace(
        preview_animation("cassie", dance(beats=2)),
        robot="pepper",
        time_s=np.arange(50) / 50.0,
        qpos=qpos,
        joint_names=pepper.joint_names,
        contact=np.zeros((50, 0), dtype=bool),
        foot_names=(),
        meta={},
    )
    with pytest.raises(OutOfRangeError, match="does not stand on feet"):
        repair(motion, pepper)


def test_a_motion_without_solution_is_not_solved_again_with_larger_margins(monkeypatch, cassie, broken):
    """A solve may take two minutes."""
    solves = []

    def unsolved(reference):
        solves.append(reference)
        return SimpleNamespace(solved=False)

    monkeypatch.setattr(repair_drafts, "track_motion", unsolved)
    with pytest.raises(RefusedError, match="no movement of the whole body near to this one"):
        repair(broken, cassie)
    assert len(solves) == 1


def test_a_timeout_is_refused_with_the_time_limit(monkeypatch, capsys, tmp_path, broken):
    save_motion(broken, tmp_path / "broken.npz")

    def time_out(_reference):
        raise NotSolvedError(OUT_OF_TIME, "'mesh' of velocity", None)

    monkeypatch.setattr(repair_drafts, "track_motion", time_out)
    assert main(["repair", str(tmp_path / "broken.npz"), "--out", str(tmp_path / "repaired.npz")]) == 3
    assert "no feasible motion of cassie near to this one was found within 120 s" in capsys.readouterr().err


def test_a_repair_reports_progress_from_the_beginning(monkeypatch, capsys, tmp_path, broken):
    save_motion(broken, tmp_path / "broken.npz")

    def refuse(*_args, **_options):
        sleep(0.1)
        raise RefusedError((Reason(ReasonKind.LIMIT, None, "nothing is near"),), "Draw it smaller.")

    monkeypatch.setattr(waiting, "EVERY_S", 0.02)
    monkeypatch.setattr(repair_command, "find_nearest", refuse)
    assert main(["repair", str(tmp_path / "broken.npz"), "--out", str(tmp_path / "repaired.npz")]) == 3
    first, *between, last = capsys.readouterr().err.splitlines()
    assert first.endswith("gives up after 120 s of processor time")
    assert between
    assert all(line.startswith("searches the nearest feasible motion of cassie, ") for line in between)
    assert "nothing is near" in last
