"""Motion: arrays that belong together, or a reason why not."""

import sys
import urllib.request
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import strut
from strut.errors import BadMotionError
from strut.motion import Motion


def small_motion(**changes):
    parts = {
        "robot": "mrpete",
        "time_s": np.arange(5) / 10.0,
        "qpos": np.arange(45.0).reshape(5, 9),
        "joint_names": ("knee", "hip"),
        "contact": np.ones((5, 4)),
        "foot_names": ("LF", "LH", "RF", "RH"),
    }
    return Motion(**(parts | changes))


def not_finite(shape, sample):
    values = np.zeros(shape)
    values[sample] = np.nan
    return values


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"time_s": np.zeros((5, 1))}, "time_s has shape (5, 1); this motion needs (5,)."),
        ({"qpos": np.zeros((4, 9))}, "qpos has shape (4, 9); this motion needs (5, 9)."),
        ({"contact": np.ones((5, 3))}, "contact has shape (5, 3); this motion needs (5, 4)."),
        (
            {"contact": np.full((5, 4), 1e30)},
            "contact has values other than 0 and 1; 1 means that a foot is on the ground.",
        ),
        (
            {"contact": np.full((5, 4), np.nan)},
            "contact has values other than 0 and 1; 1 means that a foot is on the ground.",
        ),
        ({"torque_nm": np.zeros((5, 3))}, "torque_nm has shape (5, 3); this motion needs (5, 2)."),
        ({"ground_force_n": np.zeros((5, 4))}, "ground_force_n has shape (5, 4); this motion needs (5, 4, 3)."),
        ({"cop_in_world": np.zeros((5, 3))}, "cop_in_world has shape (5, 3); this motion needs (5, 2)."),
        ({"balance_margin_m": np.zeros(4)}, "balance_margin_m has shape (4,); this motion needs (5,)."),
        ({"qpos": np.zeros((5, 1))}, "qpos has 1 columns, fewer than the 2 joints named."),
        ({"qpos": not_finite((5, 9), (3, 2))}, "qpos is not finite at sample 3."),
        ({"torque_nm": not_finite((5, 2), (1, 1))}, "torque_nm is not finite at sample 1."),
        ({"time_s": np.array([0, 1, 2, 2, 3.0])}, "time_s does not increase at sample 3."),
        ({"time_s": np.array([0, 1, 2, 3, np.nan])}, "time_s is not finite at sample 4."),
    ],
)
def test_arrays_that_make_no_motion_are_refused(changes, sentence):
    with pytest.raises(BadMotionError) as caught:
        small_motion(**changes)
    assert str(caught.value) == sentence


def test_a_single_sample_is_no_motion():
    with pytest.raises(BadMotionError) as caught:
        small_motion(time_s=np.zeros(1), qpos=np.zeros((1, 9)), contact=np.ones((1, 4)))
    assert str(caught.value) == "A motion needs at least two samples; this one has 1."


def test_arrays_are_copied_and_read_only():
    time_s = np.arange(5) / 10.0
    motion = small_motion(time_s=time_s)
    time_s[0] = -1.0
    assert motion.time_s[0] == 0.0
    for array in (motion.time_s, motion.qpos, motion.contact):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_joint_angles_are_the_last_columns():
    motion = small_motion()
    assert_array_equal(motion.joint_angles_rad, motion.qpos[:, 7:])
    assert motion.duration_s == pytest.approx(0.4)


@pytest.mark.parametrize("rows", [slice(1, 4), np.array([False, True, True, True, False])])
def test_some_samples_of_a_motion_keep_where_it_is_and_not_its_forces(happy_walk, rows):
    whole = small_motion(
        contact=np.random.default_rng(0).random((5, 4)) < 0.5,
        torque_nm=np.ones((5, 2)),
        ground_force_n=np.ones((5, 4, 3)),
        cop_in_world=np.ones((5, 2)),
        balance_margin_m=np.ones(5),
        receipt=happy_walk.receipt,
        meta={"emotion": "happy"},
    )
    part = whole.samples(rows)
    for name in ("time_s", "qpos", "contact"):
        assert_array_equal(getattr(part, name), getattr(whole, name)[1:4])
    for name in ("robot", "joint_names", "foot_names", "meta"):
        assert getattr(part, name) == getattr(whole, name)
    for name in ("torque_nm", "ground_force_n", "cop_in_world", "balance_margin_m", "receipt"):
        assert getattr(part, name) is None


def test_changing_a_motion_makes_another():
    motion = small_motion()
    assert replace(motion, robot="other").robot == "other"
    assert motion.robot == "mrpete"


def test_a_motion_is_saved_and_overwrites_only_on_request(happy_walk, tmp_path):
    path = tmp_path / "happy.npz"
    happy_walk.save(path)
    assert strut.load_motion(path).qpos.tolist() == happy_walk.qpos.tolist()
    with pytest.raises(strut.StrutError, match="is there already"):
        happy_walk.save(path)
    happy_walk.save(path, force=True)


def test_nouns_have_a_short_representation(happy_walk):
    assert repr(happy_walk).startswith("<Motion mrpete happy: ")
    assert repr(happy_walk).endswith(f" samples, {happy_walk.receipt.verdict}>")
    assert repr(replace(happy_walk, receipt=None, meta={})).endswith("not checked>")
    assert repr(happy_walk.receipt).startswith(f"<Receipt mrpete happy, {happy_walk.receipt.verdict}")
    assert repr(strut.load_robot("mrpete")).startswith("<Robot mrpete: Mr. Pete")
    recording = strut.Recording("walk", 100.0, ("LHEE", "RHEE"), np.zeros((5, 2, 3)))
    assert repr(recording) == "<Recording walk: 2 markers, 5 frames at 100 Hz>"


def test_in_a_notebook_a_motion_is_a_moving_page_and_a_receipt_a_table(happy_walk):
    page = happy_walk.samples(slice(0, 40))._repr_html_()
    assert page.startswith("<iframe srcdoc=")
    assert "default-src &#x27;none&#x27;" in page  # it asks no host for anything
    table = happy_walk.receipt._repr_html_()
    assert "<th>Verdict</th><td>" in table
    assert strut.Receipt.from_dict(happy_walk.receipt.as_dict())._repr_html_() == table


def test_from_a_notebook_a_motion_is_shown_in_the_background(happy_walk, monkeypatch):
    opened = []
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    monkeypatch.setattr("webbrowser.open", opened.append)
    happy_walk.samples(slice(0, 40)).show()
    with urllib.request.urlopen(opened[0]) as answer:
        assert answer.status == 200
