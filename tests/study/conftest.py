"""Answers, studies, databases and pages that many tests share."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import psycopg
import pytest

from strut import walk
from strut.formats.motion_file import save_motion
from strut.registry import names
from strut.study.design.design import parse_design, read_design
from strut.study.design.published import published
from strut.study.server.database import open_database
from strut.study.server.database_connection import database_url
from strut.study.server.server import study_app
from strut.study.statistics.answers import Answers
from strut.study.statistics.study_statistics import study_statistics
from strut.study.stimuli.stimulus import load_stimuli
from strut.study.study_folder import OpenedStudy, new_study
from tests.study import real_parts
from tests.study.browsing import SHORT
from tests.study.real_parts_summary import PROPERTY


def spread_over_people(seed: int = 1) -> Answers:
    """Return the quadruped's published counts, dealt at random to its five people and three blocks."""
    study = published("quadruped")
    rng = np.random.default_rng(seed)
    pools = {
        emotion: rng.permutation(np.repeat(study["emotions"], study["counts"][emotion])).tolist()
        for emotion in study["emotions"]
    }
    rows = [
        (f"p{person}", block, trial, emotion, pools[emotion].pop())
        for person in range(study["people"])
        for block in range(1, study["blocks"] + 1)
        for trial, emotion in enumerate(study["emotions"], start=1)
    ]
    table = pd.DataFrame(rows, columns=["participant", "block", "trial", "intended", "perceived"])
    return Answers(table.assign(trial=table["trial"] + 5 * (table["block"] - 1)))


@pytest.fixture(scope="session")
def quadruped_answers():
    return spread_over_people()


@pytest.fixture(scope="session")
def quadruped_statistics(quadruped_answers):
    return study_statistics(quadruped_answers)


@pytest.fixture(scope="session")
def rated_answers():
    """Forty people who rate three emotions on pleasure, two times each, with habits of their own."""
    rng = np.random.default_rng(7)
    rows = []
    means = {"neutral": 0.0, "happy": 0.5, "sad": -0.4}
    for person in range(40):
        habit = rng.normal(0.0, 0.2)
        for block in (1, 2):
            for trial, (emotion, mean) in enumerate(means.items(), start=1):
                rating = float(np.clip(mean + habit + rng.normal(0.0, 0.3), -1.0, 1.0))
                rows.append((f"p{person}", block, trial + 3 * (block - 1), emotion, rating))
    return Answers(pd.DataFrame(rows, columns=["participant", "block", "trial", "intended", "pleasure"]))


@pytest.fixture(scope="session")
def five_motions(tmp_path_factory, made_once):
    """Five short walks on disk, made once."""
    folder = tmp_path_factory.mktemp("walks")
    feelings = ("neutral", "happy", "sad", "angry", "fearful")
    walks = made_once("five_walks", lambda: [walk("mrpete", name, cycles=2, rate_hz=50.0) for name in feelings])
    for name, motion in zip(feelings, walks, strict=True):
        save_motion(motion, folder / f"{name}.npz")
    return sorted(folder.glob("*.npz"))


@pytest.fixture(scope="session")
def untouched_studies(tmp_path_factory, five_motions):
    """A study folder of each design, made once; tests work on copies."""
    folders = {question: tmp_path_factory.mktemp("studies") / question for question in names("strut.questions")}
    for question, folder in folders.items():
        quality = "angry" if question == "pairwise" else ""
        display = "solid" if question == "improvement" else "points"
        made = new_study(folder, question, five_motions, display=display, quality=quality)
        # one order of options, so that a test knows which answer has which number
        made.write_text(made.read_text("utf-8").replace("shuffle = true ", "shuffle = false"), "utf-8")
    return folders


@pytest.fixture
def study_of(tmp_path, untouched_studies):
    """Return a function that makes a study folder of a design."""

    def make(question: str, change: str = "") -> Path:
        folder = shutil.copytree(untouched_studies[question], tmp_path / question)
        if change:
            path = folder / "design.toml"
            text = path.read_text()
            for line in change.splitlines():
                old, new = line.split(" => ")
                assert old in text, old
                text = text.replace(old, new)
            path.write_text(text)
        return folder

    return make


@pytest.fixture(scope="session")
def loaded_stimuli():
    """Stimuli by the text of their design file: the motions are the same in all copies of a study."""
    return {}


@pytest.fixture
def opened_of(study_of, loaded_stimuli):
    """Return a function that opens a study of a design with an empty database; stimuli are loaded once for all.

    It takes changes to lines of the design file (`old => new`) and more tables for its end.
    """
    databases = []

    def open_one(question: str, change: str = "", more: str = "") -> OpenedStudy:
        folder = study_of(question, change)
        text = (folder / "design.toml").read_text()
        design = parse_design(text + more, "design.toml", folder)
        if text not in loaded_stimuli:
            loaded_stimuli[text] = load_stimuli(read_design(folder))
        databases.append(open_database(database_url(folder, None), name=design.name, fingerprint="the same"))
        return OpenedStudy(design, loaded_stimuli[text], databases[-1], token="a token of the tests")

    yield open_one
    for database in databases:
        database.close()


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory):
    """The URL of a throwaway PostgreSQL cluster."""
    if real_parts.postgres_programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with (
        tempfile.TemporaryDirectory(prefix="strut-pg-", dir="/tmp") as folder,
        real_parts.postgres_cluster(Path(folder)) as url,
    ):
        yield url


@pytest.fixture
def ffmpeg(request):
    """The folder of ffmpeg and ffprobe."""
    request.node.user_properties.append((PROPERTY, "ffmpeg"))
    program = shutil.which("ffmpeg")
    if program is None or shutil.which("ffprobe") is None:
        pytest.skip("ffmpeg is not installed (Debian: apt-get install ffmpeg)")
    return Path(program).parent


@pytest.fixture
def empty_postgres(request):
    """The URL of a new database in the cluster."""
    request.node.user_properties.append((PROPERTY, "PostgreSQL"))
    postgres_url = request.getfixturevalue("postgres_url")
    name = f"study_{secrets.token_hex(4)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    return postgres_url.replace("/postgres", f"/{name}")


@pytest.fixture
def on_the_web(opened_of):
    """Return a function that serves a study of a design by a thread; what is opened stands at `opened`."""
    servers = []

    def serve(question: str, change: str = "", more: str = "") -> real_parts.ThreadServer:
        opened = opened_of(question, change, more)
        servers.append(real_parts.ThreadServer(study_app(opened)))
        servers[-1].opened = opened
        return servers[-1]

    yield serve
    for server in servers:
        server.stop()


@pytest.fixture
def running(on_the_web, request):
    """A short study on the web, of the design that the test names."""
    question = getattr(request, "param", "forced-choice")
    return on_the_web(question, SHORT[question])


@pytest.fixture
def visit(request, on_the_web):
    """Return a function that opens a page and remembers every request and every error of it."""
    del on_the_web  # pages close before servers end, who would wait for them
    request.node.user_properties.append((PROPERTY, "Chromium"))
    browser = request.getfixturevalue("browser")
    contexts = []

    def open_page(**options):
        context = browser.new_context(**options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.requested = []
        page.failed = []
        page.on("request", lambda request: page.requested.append(request.url))
        page.on("pageerror", lambda error: page.failed.append(str(error)))
        page.on("console", lambda message: page.failed.append(message.text) if message.type == "error" else None)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def served():
    """Return a function that serves a study folder in its own process; all are stopped at the end of the test."""
    running = []

    def serve(folder: Path, *options: str, port: int | None = None) -> real_parts.StudyServer:
        running.append(real_parts.StudyServer(folder, *options, port=port))
        return running[-1]

    yield serve
    for server in running:
        server.stop()
