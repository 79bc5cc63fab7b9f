"""New study: a folder with a design file and copies of the motions, ready to be served."""

from __future__ import annotations

import math
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path

from strut.errors import StudyError
from strut.io.atomic import write_atomically
from strut.io.motion_file import load_motion
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.study.answers import IMPROVEMENT_ITEMS
from strut.study.design import Question
from strut.study.design_file import FILE_NAME, read_design

TOKEN_FILE = "researcher_token"
_LONGEST_S = 5.0
_SHORTEST_S = 0.1


def new_study(folder: Path, question: Question, motions: Sequence[Path]) -> Path:
    """Make a study that runs at once; return its design file.

    Args:
        folder: Must not exist; nothing is overwritten.
        question: Which design.
        motions: At least two motion files; what each is meant to show is read from it.
    """
    if folder.exists():
        raise StudyError(f"{folder} is there already; choose another name.")
    if len(motions) < 2:
        raise StudyError(f"A study compares motions and needs at least two files after --motions; got {len(motions)}.")
    loaded = [(path, load_motion(path)) for path in motions]
    for _, motion in loaded:
        robot_of(motion)
    entries = _entries(loaded)
    if question == "forced-choice" and len({intended for _, _, intended in entries}) < 2:
        raise StudyError(f"All motions are meant to show {entries[0][2]}; a choice needs two emotions or more.")
    shortest_s = min(motion.duration_s for _, motion in loaded)
    seconds = min(_LONGEST_S, math.floor(100.0 * shortest_s) / 100.0)  # rounded down: no motion is shorter
    if seconds < _SHORTEST_S:
        raise StudyError(f"The shortest motion lasts {shortest_s:.3g} s; people need {_SHORTEST_S:g} s to see it.")
    (folder / "motions").mkdir(parents=True)
    try:
        for (path, _), (_, file, _) in zip(loaded, entries, strict=True):
            shutil.copyfile(path, folder / file)
        text = design_text(folder.name, question, entries, seconds)
        write_atomically(folder / FILE_NAME, text.encode(), force=False)
        token = folder / TOKEN_FILE
        write_atomically(token, f"{secrets.token_urlsafe(24)}\n".encode(), force=False)
        token.chmod(0o600)
        read_design(folder)  # what we write we must be able to read
    except BaseException:
        shutil.rmtree(folder)
        raise
    return folder / FILE_NAME


def _entries(loaded: Sequence[tuple[Path, Motion]]) -> list[tuple[str, str, str]]:
    """Return name, file and intended emotion of each stimulus, names made unique."""
    entries: list[tuple[str, str, str]] = []
    for path, motion in loaded:
        intended = str(motion.meta.get("emotion") or path.stem)
        stem = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in path.stem)[:50] or "motion"
        name, count = stem, 1
        while name in [entry[0] for entry in entries]:
            count += 1
            name = f"{stem}_{count}"
        entries.append((name, f"motions/{name}.npz", intended))
    return entries


def design_text(name: str, question: Question, entries: Sequence[tuple[str, str, str]], seconds: float) -> str:
    """Return a design file with every field in it and what it means."""
    known = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)[:60] or "study"
    intended = list(dict.fromkeys(entry[2] for entry in entries))
    blocks = 1 if question == "improvement" else 2
    parts = [
        f'''# A study of strut; docs/study.md explains every field. After the first answer a change needs a new study.
[study]
name = "{known}"
question = "{question}"          # forced-choice, slider, sam or improvement
languages = ["en", "de"]
seed = 1                            # of the order of trials

[session]
blocks = {blocks}
repeats = 1                         # how often each stimulus comes in a block
order = "random"                    # random, latin-square or fixed
practice = {0 if question == "improvement" else 1}                        # trials first that do not count
per_participant = 0                 # stimuli one person sees, those seen least so far; 0 is all

[display]
kind = "{"solid" if question == "improvement" else "points"}"                     # points, sticks or solid
lights = "joints"                   # of points: joints, or markers where the robot has a marker set
azimuth_deg = 45                    # 0 from ahead, 90 from the right
elevation_deg = 10
camera = "fixed"                    # fixed or follow
seconds = {seconds:g}                         # the same for all stimuli
replay = true
whole = false                       # true: answers wait until the motion has been seen to its end

[people]                            # both can be left open by participants
age = true
gender = true
''',
        _ask_text(question, intended),
        *(
            f'[[stimulus]]\nname = "{entry}"\nfile = "{file}"\nintended = {_quoted(emotion)}\n'
            'control = "none"                    # none, speed-matched or posture-matched (to the neutral one)\n'
            for entry, file, emotion in entries
        ),
        '# [text.en]\n# title = "..."        any text of strut/study/languages/en.toml can be replaced\n',
    ]
    return "\n".join(parts)


def _ask_text(question: Question, intended: Sequence[str]) -> str:
    if question == "forced-choice":
        options = ", ".join(_quoted(name) for name in intended)
        shuffle = "shuffle = false                     # true: in another order for each person"
        return f"[ask]\noptions = [{options}]\n{shuffle}\ndo_not_know = true\n"
    if question == "slider":
        return '[ask]\nends = ["anger", "neutral", "joy"]   # low, middle, high\ndo_not_know = true\n'
    if question == "sam":
        return '[ask]\nscales = ["pleasure", "arousal", "dominance"]\npoints = 9                          # 5, 7 or 9\n'
    items = ",\n".join(f'    "{item}"' for item in IMPROVEMENT_ITEMS)
    return f"[ask]\nitems = [\n{items},\n]\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
