"""The front door: `import strut` offers what the command line does, quickly, from one list, each with an example."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import strut
from strut.registry import VERBS

ROOT = Path(__file__).parent.parent
STUDY = ("sample_size", "new_study", "serve_study", "rehearse_study", "report_study", "forget_participant")
DOES = {  # what does in Python what a verb does on the command line
    "animate": ("load_animation", "import_animation", "animate"),
    "repair": ("load_motion", "repair"),
    "library": ("MotionLibrary",),
    "robots": ("robot_names", "load_robot"),
    "adopt": ("adopt", "check_folder", "portrait_png", "portrait_page"),
    "emotions": ("emotion_table", "named_emotion"),
    "walk": ("walk", "walk_to"),
    "distinguish": ("distinguish", "emotion_map_png", "emotion_page"),
    "perform": ("perform",),
    "synthesize": ("synthesize",),
    "fit": ["read_recording", "fit", "save_fit"],
    "capture": ["read_recording", "capture_walk", "save_capture"],
    "reconstruct": ("reconstruct",),
    "analyze": ("analyze", "save_gait_report"),
    "explain": ("explain", "predict"),
    "check": ("check",),
    "simulate": ("simulate", "simulate_to_goal"),
    "drive": ("LivePilot", "drive"),
    "show": ("save_shown", "save_html", "save_png", "save_gif", "save_mp4", "serve"),
    "export": ("export", "export_rig"),
    "plugins": ("plugins",),
    "reproduce": ("reproduce",),
    "stimuli": ("save_stimuli",),
    "study": (*STUDY, "read_answers", "study_statistics", "film_study"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_its_functions(verb):
    assert set(DOES[verb]) <= set(strut.__all__)


@pytest.mark.parametrize("name", strut.__all__)
def test_every_name_says_what_it_is(name):
    thing = getattr(strut, name)
    home = inspect.unwrap(thing).__module__
    assert inspect.getdoc(thing)
    if inspect.isfunction(thing) and not home.startswith(("strut.ocp", "strut.engines")):
        assert ">>> " in inspect.getdoc(thing), f"{name} has no example"
    assert home.startswith("strut.")


def test_the_readme_lists_every_name():
    section = (ROOT / "README.md").read_text("utf-8").split("## From Python")[1].split("\n## ")[0]
    assert [name for name in strut.__all__ if f"`{name}`" not in section] == []


def test_the_import_alone_loads_no_engine_and_no_numpy():
    code = "import sys, strut; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "mujoco", "casadi", "typer"} & set(loaded)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'strut' has no attribute 'dance'"):
        _ = strut.dance
    assert "walk" in dir(strut)


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_import_nothing_of_strut_but_strut(path):
    tree = ast.parse(path.read_text("utf-8"))
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert [module for module in modules if module.startswith("strut.")] == []
