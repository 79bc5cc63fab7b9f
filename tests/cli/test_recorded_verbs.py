"""`strut fit` and `strut capture`: files, JSON, progress, next commands, and one sentence for bad input."""

import json

import numpy as np
import pytest

from strut.cli.main import main
from strut.formats.motion_file import load_motion
from strut.formats.recording_file import read_recording
from strut.mocap.marker_fit.subject_from_trials import PersonFacts


def test_capture_writes_everything(data, tmp_path, capsys):
    out = tmp_path / "walk"
    code = main(["capture", str(data / "qcmas_walk.c3d"), "--out", str(out), "--json"])
    said = capsys.readouterr()
    assert code == 0
    figures = json.loads(said.out)
    assert figures["verdict"] == "ok"
    assert figures["marker_error_mean_mm"] < 5.0
    assert figures["frames_per_s"] > 0.0  # by the clock; bench_marker_fit.py asks how fast
    assert (figures["height_m"], figures["mass_kg"]) == pytest.approx((1.86, 70.23), abs=0.01)
    assert figures["steps"] == 3
    assert {row["what"] for row in figures["plates"]} == {"total", "right", "left", "baseline"}
    assert f"next: strut analyze {out / 'motion.npz'}" in said.err
    motion = load_motion(out / "motion.npz")
    assert motion.receipt.verdict == "ok"
    assert motion.torque_nm.shape == (len(motion.time_s), 28)
    table = np.genfromtxt(out / "forces.csv", delimiter=",", names=True)
    np.testing.assert_allclose(table["right_up_n"] + table["left_up_n"], table["total_up_n"], atol=1.0)
    assert "difference from force plates, RMS over body weight: total 2." in said.err
    plates = read_recording(out / "forces.mot").plates  # as OpenSim reads external loads: y is up
    assert [plate.name for plate in plates] == ["right_ground", "left_ground"]
    np.testing.assert_allclose(plates[0].force_n[:, 1], table["right_up_n"], atol=0.01)
    np.testing.assert_allclose(plates[0].force_n[:, 2], -table["right_left_n"], atol=0.01)
    loaded = table["right_up_n"] > 50.0
    np.testing.assert_allclose(plates[0].cop_m[loaded, 2], -table["right_cop_y_m"][loaded], atol=1e-4)
    page = (out / "report.html").read_text("utf-8")
    assert "Comparison with force plates" in page
    assert "http" not in page.split("data:image")[0].replace("http-equiv", "").replace("http://www.w3.org", "")
    assert main(["capture", str(data / "qcmas_walk.c3d"), "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err


def test_forces_of_a_mass_that_plates_deny_are_written_and_refused(data, tmp_path, capsys):
    walk = str(data / "c3d_samples" / "plate_type2.c3d")
    out = tmp_path / "walk"
    assert main(["capture", walk, "--out", str(out), "--height", "1.75", "--mass", "70"]) == 3
    told = "Refused: plates feel 48 % of the vertical force that this mass needs for the movement."
    assert told in capsys.readouterr().err
    assert load_motion(out / "motion.npz").receipt.verdict == "refused"
    assert main(["check", str(out / "motion.npz")]) == 3  # what was captured so is not ok for others


def test_a_fit_goes_on_to_forces(data, tmp_path, capsys):
    out = tmp_path / "subject"
    assert main(["fit", str(data / "sydney_walk05.c3d"), "--out", str(out), "--json"]) == 0
    said = capsys.readouterr()
    keys = {"marker_error_mean_mm", "marker_error_worst_mm", "frames_per_s", "height_m", "mass_kg", "steps"}
    assert keys <= set(json.loads(said.out))
    assert {path.name for path in out.iterdir()} == {"subject.toml", "motion.npz", "report.html"}
    following = said.err.splitlines()[-1].removeprefix("next: strut ").split()
    assert following[0] == "capture"
    assert main(following) == 0


def test_height_and_mass_that_contradict_the_file_are_reported():
    told = PersonFacts(1.86, 75.0).contradictions(1.634, 75.2, "used; the recording")
    assert told == ("A body height of 1.86 m was given and is used; the recording says 1.634 m.",)
    assert not PersonFacts(1.86, None).contradictions(None, 70.0, "used; the recording")


def test_bad_input_is_one_sentence(data, tmp_path, capsys):
    walk = str(data / "felis_subject3_neutral.c3d")
    no_c3d = tmp_path / "walk.c3d"
    no_c3d.write_bytes(b"hello" * 200)
    foreign = tmp_path / "foreign.csv"
    rows = "".join(f"{frame / 100:.2f},0.1,0.2,{frame / 100:.2f}\n" for frame in range(50))
    foreign.write_text(f"time_s,QQQ_x,QQQ_y,QQQ_z\n{rows}", "utf-8")
    cases = {
        "not": ["capture", str(no_c3d), "--height", "1.8", "--mass", "70"],
        "height": ["capture", walk, "--mass", "75"],
        "write 1.86m or 186cm": ["capture", walk, "--height", "186", "--mass", "75"],
        "18.6 metres; write 1.86m or 186cm": ["fit", walk, "--height", "18.6", "--mass", "75"],
        "18.6 m is outside": ["capture", walk, "--height", "1860cm", "--mass", "75"],
        "mass of 7 kg": ["fit", walk, "--height", "1.86", "--mass", "7"],
        "still needs LASI": ["fit", str(foreign), "--height", "1.8", "--mass", "70"],
        "no markers": ["fit", str(data / "c3d_samples" / "emgwl.c3d"), "--height", "1.8", "--mass", "70"],
        "walk": ["capture", str(data / "qcmas_static.c3d")],
        "no whole foot stands": ["capture", walk, "--height", "1.86", "--mass", "75", "--use-plates"],
    }
    for words, arguments in cases.items():
        assert main([*arguments, "--out", str(tmp_path / "out")]) == 2, arguments
        said = capsys.readouterr().err
        assert words in said
        assert "Traceback" not in said
