"""Bad files and numbers given to every verb: exit 2 or 3, one sentence, and nothing half-written."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import numpy as np
import pytest

from strut.cli.main import main
from strut.formats.motion_file import save_motion
from strut.motion import Motion
from strut.registry import VERBS

HEADER = "participant,block,trial,intended,perceived\n"
FILES = {
    "empty": b"",
    "prose.npz": b"once upon a time",
    "half.npz": b"PK\x03\x04" + b"\x80" * 300,
    "zeros.c3d": bytes(60_000),
    "noise.c3d": b"\x02\x50" + b"\xff" * 60_000,
    "head.trc": b"PathFileType\t4\n",
    "sizes.trc": b"PathFileType\t4\t(X/Y/Z)\tx\nDataRate\tNumFrames\tNumMarkers\tUnits\n0\t99999999999\t-3\tparsec\n",
    "open.bvh": b"HIERARCHY\n" + b"JOINT a\n{\nOFFSET 0 0 0\n" * 3000,
    "long.bvh": b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n}\nMOTION\n"
    b"Frames: 999999999999\nFrame Time: 0\n1 2 3\n",
    "two.csv": b"time,a\n1,2\n",
    "overflow.csv": b"time_s,LASI_x,LASI_y,LASI_z\n0,1e400,nan,2\n",
    "deep.toml": b"a = " + b"[" * 50_000 + b"]" * 50_000,
    "open.toml": b"a = [[[",
    "odd.toml": b"robot = 'cassie'\n[[key]]\ntime = nan\n",
    "steps.csv": b"foot,x_m,y_m,heading_deg\nleft,1e300,nan,0\n",
    "noise.glb": b"glTF" + b"\xff" * 40,
    "deep.glb": b"glTF\x02\0\0\0"
    + (100_020).to_bytes(4, "little")
    + (100_000).to_bytes(4, "little")
    + b"JSON"
    + b"[" * 100_000,
    "phases.json": b"[" * 50_000,
    "twice.urdf": b'<robot name="x"><link name="a"/><link name="a"/></robot>',
    "deep.urdf": b'<robot name="x"><link name="a">' + b"<b>" * 5000 + b"</b>" * 5000 + b"</link></robot>",
    "many.xml": b'<mujoco><worldbody><replicate count="100000"><body/></replicate></worldbody></mujoco>',
    "hills.xml": b'<mujoco><asset><hfield nrow="99999" ncol="99999" size="1 1 1 1"/></asset><worldbody/></mujoco>',
    "circle.xml": b'<mujoco><include file="circle.xml"/></mujoco>',
    "answers.csv": HEADER.encode() + b"a,1,1,happy,happy\n" * 3,
    "words.csv": HEADER.encode() + b"a,x,y,happy,sad\n",
    "quote.csv": HEADER.encode() + b'"' * 5000,
    "wide.csv": HEADER.encode() + b"a" * 2_000_000,
    "latin.csv": b"\xff\xfe\x00",
}
"""Files that hold something else than their name says."""

DAMAGED = ["empty", "prose.npz", "half.npz", "deep.npz", "nan.npz", "huge.npz", "backwards.npz", "still.npz"]
NO_FILES = ["circle.npz", "pipe.npz", "/dev/null", ".", "gone.npz"]
MOTIONS = [*DAMAGED, *NO_FILES]
RECORDINGS = ["empty", "zeros.c3d", "noise.c3d", "head.trc", "sizes.trc", "open.bvh", "long.bvh", "two.csv"]
ANIMATIONS = ["empty", "deep.toml", "open.toml", "odd.toml", "noise.glb", "deep.glb", "open.bvh"]
ROBOTS = ["empty", "twice.urdf", "deep.urdf", "many.xml", "hills.xml", "circle.xml", "ok.npz"]
ANSWERS = ["empty", "two.csv", "answers.csv", "words.csv", "quote.csv", "wide.csv", "latin.csv", "pipe.csv"]
PERSON = "--height 1.8 --mass 75"
COMMANDS = {
    "check": [
        *(name for name in MOTIONS if name != "."), "", "ok.npz --margin nan", "ok.npz --margin 1km",
        "ok.npz --workers 2", "ok.npz --html page.txt", "ok.npz missing.npz --out answers.csv",
        "ok.npz missing.npz --workers 0",
    ],
    "simulate": [
        *MOTIONS, "ok.npz --friction -1", "ok.npz --friction nan", "ok.npz --mass-scale 0",
        "ok.npz --mass-scale 1e300", "ok.npz --controller best", "ok.npz --delay nan", "ok.npz --out ok.npz",
        "ok.npz --closed-loop",
    ],
    "show": [
        *(f"{name} --png p.png" for name in MOTIONS), "ok.npz --at nan --png p.png", "ok.npz --png p.txt",
        "ok.npz --width 1000000 --png p.png", "ok.npz --poses 0 --png p.png", "ok.npz --fps 0 --gif p.gif",
        "ok.npz --seconds nan --gif p.gif", "ok.npz --host 999.9.9.9", "ok.npz --port -1", "ok.npz --png circle.png",
    ],
    "export": [
        *MOTIONS, "ok.npz --to excel", "ok.npz --rate nan", "ok.npz --rate 1e12",
        "ok.npz --out dangling.csv", "ok.npz --out circle.csv", "ok.npz --to csv --out gone/x.csv",
    ],
    "repair": MOTIONS,
    "retarget": [
        *(f"{name} --to alice" for name in [*MOTIONS, "open.bvh", "long.bvh", "two.csv"]), "ok.npz --to nothing",
        "ok.npz", "ok.npz --to pepper", "ok.npz --to alice --between 2", "ok.npz --to alice --between 9,2",
        "open.bvh --to alice --unit nan", "ok.npz --to alice --map odd.toml", "ok.npz --to alice --rate 0",
    ],
    "analyze": [*MOTIONS, "ok.npz", "sad="],
    "explain": ["gone.npz", "deep.npz", "ok.npz"],
    "reconstruct": ["deep.npz", "ok.npz", "ok.npz --phases phases.json", "ok.npz --phases ."],
    "capture": [f"{name} {PERSON}" for name in [*RECORDINGS, "overflow.csv", *NO_FILES]],
    "fit": [
        *(f"{name} {PERSON}" for name in RECORDINGS), "two.csv --height nan --mass 75",
        "two.csv --height 1.8 --mass -5",
    ],
    "walk": [
        "", "nothing", "../mrpete", "mrpete --emotion ''", "mrpete --pad nan 0 0", "mrpete --pad 2 0 0",
        "mrpete --intensity 1e9", "mrpete --rate 0", "mrpete --rate 1e12", "mrpete --cycles 1e8", "mrpete --cycles 0",
        "mrpete --step-length 5parsec", "mrpete --step-length nanmm", "mrpete --tempo inf", "mrpete --margin ''",
        "mrpete --gait gallop", "mrpete --out .", "mrpete --out circle.npz", "mrpete --out dangling.npz",
        "mrpete --emotion happy --pad 0 0 0", "alice --goal nan 0 0", "alice --via a,b,c --goal 1 0 0",
        "alice --steps steps.csv", "alice --steps latin.csv", "alice --steps /dev/null", "alice --steps pipe.npz",
        "cassie --distance=-1m", "cassie --distance 1e9m", "heiman --height 0.01", "heiman --mass=-1",
    ],
    "perform": [
        "pepper juggle", "pepper two.csv", "pepper pipe.csv", "pepper deep.npz", "pepper wave --duration nan",
        "pepper wave --duration 1e9", "pepper wave --user nan 0 0", "pepper wave --law my", "pepper wave --hand third",
        "mrpete wave", "cassie 'happy, walk -5 m'", "cassie ', , ,'",
    ],
    "animate": [f"{name} --robot cassie" for name in [*ANIMATIONS, *NO_FILES]],
    "synthesize": [
        "--objective joy", "--weights 1,2", "--weights nan,1,1,1", "--speed=-1", "--speed 1e9", "--step 0",
        "--height 10", "--length Foo=1cm", "--segment-mass x=y", "--manner rude", "--starts 0", "--turn nan",
        "--from deep.npz", "--sex female",
    ],
    "adopt": [
        *ROBOTS, *NO_FILES,
        "twice.urdf --name ../../x", "--check .", "--check gone",
    ],
    "distinguish": ["nothing", "mrpete --emotions ''", "mrpete --emotions happy", "mrpete --png p.txt"],
    "library": [
        "add gone.npz", "add deep.npz", "add ok.npz --mode fly", "query --store prose.npz", "query 'sad under under'",
        "show zzzz", "show ''", "show %", "build nothing", "build cassie --grid 0,0,0", "build cassie --grid a",
        "map cassie --out p.txt", "map mrpete", "gaits cassie --store ok.npz", "gaits cassie --store /dev/null", "fly",
    ],
    "study": [
        "new s --motions gone.npz", "new s", "new ok.npz --motions ok.npz", "new s --design joy --motions ok.npz",
        "serve .", "simulate gone", "report .", "preregister .", "labels .", "forget . x --yes", "backup . x.sqlite",
        "film .", "texts ../en", "power", "power --rate 2", "power --rate nan", "power --effect 0",
        "power --rate 0.5 --options 1", "power --rate 0.5 --icc 2", "power --rate 0.5 --power 1", "power --w 1 --dof 0",
        *(f"stats {name}" for name in [*ANSWERS, *NO_FILES]),
    ],
    "drive": ["nothing", "mrpete", "--friction nan", "--port 70000", "--seed=-1", "--host 999.9.9.9"],
    "demo": ["--robots nothing", "--robots ,", "--emotions joyous", "--emotions ,", "--out ok.npz", "--out circle.npz"],
    "reproduce": ["", "''", "nothing"],
    "stimuli": ["nothing", "mrpete", "--rate nan", "--seed=-1", "--out ok.npz", "--out circle.npz"],
    "robots": ["x", "--no"],
    "emotions": ["x", "--no"],
    "plugins": ["x"],
    "doctor": ["x"],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of bad files, and one motion of two samples that is a motion file."""
    folder = tmp_path_factory.mktemp("bad")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    qpos = np.tile([0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0, *[0.0] * 16], (3, 1))
    names = tuple(f"joint_{number}" for number in range(16))
    contact = np.ones((3, 4), dtype=bool)
    motion = Motion("mrpete", np.arange(3) / 10.0, qpos, names, contact, ("LF", "LH", "RF", "RH"), meta={})
    save_motion(motion, folder / "ok.npz")
    with np.load(folder / "ok.npz") as file:
        arrays = dict(file)
    changes = {
        "deep": {"meta": np.array("[" * 100_000)},
        "nan": {"qpos": qpos * np.nan},
        "huge": {"qpos": qpos * 1e300},
        "backwards": {"time_s": arrays["time_s"][::-1]},
        "still": {"time_s": arrays["time_s"] * 0.0},
    }
    for name, change in changes.items():
        np.savez(folder / f"{name}.npz", **{**arrays, **change})
    for ending in ("npz", "csv", "png"):
        (folder / f"circle.{ending}").symlink_to(folder / f"circle.{ending}")
        (folder / f"dangling.{ending}").symlink_to(folder / f"nowhere.{ending}")
    for ending in ("npz", "csv"):
        os.mkfifo(folder / f"pipe.{ending}")
    return folder


def test_every_verb_is_asked() -> None:
    assert set(COMMANDS) == set(VERBS)


@pytest.mark.parametrize("verb", COMMANDS)
def test_bad_input_gets_one_sentence_and_leaves_no_file(
    verb: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    before = sorted(folder.iterdir())
    wrong = []
    for words in COMMANDS[verb]:
        code = main([verb, *shlex.split(words)])
        said = capsys.readouterr().err.strip().splitlines()
        sentence = said[-1] if said else ""
        if code not in (2, 3) or not sentence.startswith("strut: ") or len(said) > 1 or sentence[-1] not in ".?":
            wrong.append(f"{verb} {words}: exit {code}, {said}")
        if sorted(folder.iterdir()) != before:
            wrong.append(f"{verb} {words}: left {sorted(set(folder.iterdir()) - set(before))}")
            break
    assert wrong == []
