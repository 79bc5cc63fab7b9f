"""A package adds a type of question: one module, its page and texts beside it, and one entry point."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from textwrap import dedent

import pytest

FILES = {
    "strut_warmth/__init__.py": "",
    "strut_warmth/warmth.py": """
        from typing import ClassVar

        from strut.study import Finding, RatingQuestion, ScaleRatings, read_number_field, read_rating


        class Warmth(RatingQuestion, frozen=True, forbid_unknown_fields=True):
            name: ClassVar[str] = "warmth"
            answer_cells: ClassVar = {"warmth": read_rating}
            response_model: ClassVar = ScaleRatings
            top: int = 7

            @classmethod
            def toml_fields(cls, intended):
                return "top = 7\\n"

            def read_reply(self, form, trial, *, seconds):
                return {"warmth": 2.0 * (read_number_field(form, "warmth", 1, self.top) - 1) / (self.top - 1) - 1.0}

            def procedure(self):
                return f"how warm the motion is, from 1 to {self.top}"

            @classmethod
            def analyse(cls, answers, rng):
                warmest = answers.table.groupby("intended")["warmth"].mean().idxmax()
                table = ("Warmest emotion", ["emotion"], [[warmest]])
                return Finding({"warmest": warmest}, (table,), results=f"The warmest emotion was {warmest}.")

            def respond(self, design, model):
                rate = model.rater()
                return lambda shown, who, rng: {"warmth": rate(shown[0], who, rng)["pleasure"]}
    """,
    "strut_warmth/warmth.html": """
        <h1>{{ words.say("question_warmth") }}</h1>
        <input type="number" name="warmth" min="1" max="{{ ask.top }}" required>
    """,
    "strut_warmth/warmth.toml": """
        [en]
        question_warmth = "How warm is this movement?"
    """,
    "strut_warmth/warmth.css": "input[name=warmth] { width: 4rem; }\n",
    "strut_warmth/traits.py": """
        from typing import ClassVar

        from strut.study import RatingQuestion, ScaleRatings, read_number_field, read_rating


        class Traits(RatingQuestion, frozen=True, forbid_unknown_fields=True):
            name: ClassVar[str] = "traits"
            answer_prefixes: ClassVar = {"trait_": read_rating}
            response_model: ClassVar = ScaleRatings
            traits: tuple[str, ...] = ("calm", "shy")

            @property
            def answer_columns(self):
                return tuple(f"trait_{name}" for name in self.traits)

            def read_reply(self, form, trial, *, seconds):
                return {column: read_number_field(form, column, -3, 3) / 3.0 for column in self.answer_columns}

            def respond(self, design, model):
                rate = model.rater()

                def reply(shown, observer, rng):
                    ratings = rate(shown[0], observer, rng)
                    return dict(zip(self.answer_columns, (-ratings["arousal"], -ratings["dominance"])))

                return reply
    """,
    "strut_warmth/traits.html": "<p>{{ ask.traits | length }}</p>",
    "strut_warmth-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: strut-warmth\nVersion: 1.0\n",
    "strut_warmth-1.0.dist-info/entry_points.txt": "[strut.questions]\nwarmth = strut_warmth.warmth:Warmth\n"
    "traits = strut_warmth.traits:Traits\n",
}
SESSION = """
    import json
    import sys
    from contextlib import closing
    from pathlib import Path

    from starlette.testclient import TestClient

    from strut.study import new_study, preregister_study, rehearse_study, report_study
    from strut.study.server.server import study_app
    from strut.study.statistics.answer_table import export_rows
    from strut.study.study_folder import open_study

    folder = Path(sys.argv[1])
    new_study(folder, "warmth", [Path(name) for name in sys.argv[2:]])
    preregister_study(folder, people=8, runs=1)
    opened = open_study(folder)
    token = "T" * 32
    with closing(opened.database), TestClient(study_app(opened)) as client:
        page = client.post("/start", data={"ticket": token, "language": "de", "agree": "1"}).text
        refused = client.post(f"/p/{token}", data={"trial": "1", "warmth": "8"}).status_code
        client.post(f"/p/{token}", data={"trial": "1", "warmth": "7"})
        stored = export_rows(opened.design, opened.database.rows())
        style = client.get("/static/question-warmth.css")
    (folder / "simulated.csv").write_text(rehearse_study(folder, people=8).table)
    found = report_study(folder, answers=folder / "simulated.csv")
    traits = folder.with_name("traits")
    new_study(traits, "traits", [Path(name) for name in sys.argv[2:]])
    (traits / "simulated.csv").write_text(rehearse_study(traits, people=8).table)
    of_traits = report_study(traits, answers=traits / "simulated.csv")
    print(json.dumps({
        "page": page,
        "refused": refused,
        "style": [style.headers["content-type"], style.text],
        "scales": sorted({row.scale for row in of_traits.ratings}),
        "power": sorted(rehearse_study(traits, people=8, runs=1).power),
        "stored": [row["warmth"] for row in stored],
        "findings": found.as_dict(),
        "report": (folder / "simulated_report.html").read_text(),
        "preregistration": (folder / "preregistration.md").read_text(),
    }))
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory, five_motions):
    """What a study with the question of the package gives, from its first page to its report."""
    home = tmp_path_factory.mktemp("package")
    for name, text in FILES.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(dedent(text))
    path = os.pathsep.join([str(home), *filter(None, sys.path)])
    command = [sys.executable, "-c", dedent(SESSION), str(home / "mine"), *map(str, five_motions)]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_participants_read_it_in_english_if_it_is_not_translated(session):
    assert (
        '<h1>How warm is this movement?</h1>\n<input type="number" name="warmth" min="1" max="7" required>'
        in (session["page"])
    )


def test_its_style_sheet_is_served_as_a_file_which_the_content_security_policy_allows(session):
    assert '<link rel="stylesheet" href="/static/question-warmth.css">' in session["page"]
    assert session["style"] == ["text/css; charset=utf-8", FILES["strut_warmth/warmth.css"]]


def test_columns_may_be_named_by_the_design(session):
    assert session["scales"] == ["trait_calm", "trait_shy"]
    assert {"all, trait_calm", "all, trait_shy"} <= set(session["power"])


def test_its_replies_are_checked_and_stored(session):
    assert session["refused"] == 422
    assert session["stored"] == [1.0]


def test_its_ratings_get_the_statistics_of_all_ratings_and_its_own(session):
    found = session["findings"]
    assert {row["scale"] for row in found["ratings"]} == {"warmth"}
    assert [model["outcome"] for model in found["models"]] == ["the warmth"]
    assert set(found["further"]) == {"warmth"}
    assert f"The warmest emotion was {found['further']['warmth']['warmest']}." in session["report"]
    assert "Warmest emotion (simulated)" in session["report"]
    assert "the question was how warm the motion is, from 1 to 7." in session["report"]


def test_its_preregistration_has_hypotheses_and_power(session):
    assert "On each scale (warmth), the emotion shown changes the rating." in session["preregistration"]
    assert "| all, warmth |" in session["preregistration"]
