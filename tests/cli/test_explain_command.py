"""`strut explain`: mistakes are one sentence and exit code 2, before anything is solved."""

from dataclasses import replace

import numpy as np
import pytest

from strut.cli.main import main
from strut.formats.motion_file import save_motion
from tests.walker import STEP, walked


def said_by(arguments, capsys):
    assert main(["explain", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.npz"], "nowhere.npz"),
        (["walk.c3d"], "walk.c3d holds markers, not joint angles; fit them first: strut fit walk.c3d --out FOLDER."),
        (["sad=a.npz", "b.npz"], "b.npz has no condition while others have one; write CONDITION=b.npz."),
        (["sad=a.npz", "glad=a.npz"], "a.npz is given under two conditions"),
        (["a.npz", "--png", "shares.jpg"], "shares.jpg"),
    ],
)
def test_mistakes_are_one_sentence(arguments, words, capsys):
    assert words in said_by(arguments, capsys)


def test_a_walk_without_steps_and_another_robot_are_refused(heiman, neutral_walk, tmp_path, capsys):
    standing = replace(walked(heiman, 1), contact=np.ones((STEP, len(heiman.foot_names)), dtype=bool))
    save_motion(standing, tmp_path / "standing.npz")
    assert "holds no step" in said_by([str(tmp_path / "standing.npz")], capsys)
    save_motion(neutral_walk, tmp_path / "crawl.npz")
    assert "only walks of human models" in said_by([str(tmp_path / "crawl.npz")], capsys)
