"""Fixtures that many tests share: robots and a few walks, made once per worker."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cloudpickle
import pytest
from hypothesis import settings
from playwright.sync_api import sync_playwright

from strut import load_robot, walk
from strut.human.synthesis.synthesize import synthesize
from tests.study import real_parts

pytest_plugins = ("tests.study.real_parts_summary",)  # names, at the end, which real parts ran

# The slowest files start first, so that no worker is left with a long file at the end. The very first file solves the
# walks that other files share. Files that use a browser are kept apart: they wait for it now and then.
FIRST = (
    *(
        "test_human_verbs.py",
        "test_docs.py",
        "test_browser_designs.py",
        "test_imported_walks.py",
        "test_reconstruct.py",
    ),
    *("test_perform.py", "test_browser_session.py", "test_walk.py", "test_closed_loop.py"),
    *("test_feasible_animation.py", "test_step_walk.py", "test_browser_showing.py", "test_recorded_verbs.py"),
    *("test_animation_request.py", "test_captured_walk.py", "test_synthesize.py", "test_sequence.py", "test_report.py"),
    *(
        "test_windowed_tracking.py",
        "test_composed_walk.py",
        "test_audience.py",
        "test_piloted_simulation.py",
        "test_streams.py",
    ),
    *("test_fit.py", "test_command_line.py", "test_drive_page.py", "test_warm_library.py", "test_designs.py"),
    *("test_mrpete.py", "test_live_pilot.py", "test_whole_body_program.py", "test_gait_library_build.py"),
    *("test_curiosity.py", "test_gait_expression.py", "test_server.py", "test_gait_report.py"),
    *("test_adopt.py", "test_weighted_gait.py", "test_gait_optimization.py", "test_playback.py", "test_load.py"),
    *("test_landing_audit.py", "test_blender_addon.py", "test_stimulus.py", "test_leg7r.py", "test_goal_walk.py"),
    "test_house.py",
)

gc.disable()  # until all tests are imported: imports make no garbage, and a search for it takes seconds

settings.register_profile("strut", derandomize=True, deadline=None)  # the same examples everywhere
settings.load_profile("strut")


@pytest.fixture(scope="session", autouse=True)
def _no_robots_of_the_user(tmp_path_factory):
    """Hide the robots that are installed in the home folder of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STRUT_ROBOTS", str(tmp_path_factory.mktemp("robot_home")))
        yield


@pytest.fixture(scope="session")
def mrpete():
    return load_robot("mrpete")


@pytest.fixture(scope="session")
def happy_walk(made_once):
    return made_once("happy_walk", lambda: walk("mrpete", "happy", cycles=4, rate_hz=50.0, expression="published"))


@pytest.fixture(scope="session")
def neutral_walk():
    return walk("mrpete", "neutral", cycles=2, rate_hz=50.0, expression="published")


@pytest.fixture(scope="session")
def data():
    """Return the folder of real recordings, which is not part of the package."""
    folder = Path(__file__).parents[1] / ".." / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real recordings are not here: ../shared/data is absent")
    return folder


@pytest.fixture(scope="session")
def heiman():
    return load_robot("heiman")


@pytest.fixture(scope="session")
def gait(heiman, made_once):
    """Return one synthesized gait for all tests that need one: it takes ten seconds."""
    return made_once("gait", lambda: synthesize(heiman, speed_m_s=1.3), kept=True)


@pytest.fixture(scope="session")
def browser():
    """Return a headless Chromium, one per worker: Playwright's synchronous interface runs once in a process."""
    if real_parts.CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium-headless-shell)")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=real_parts.CHROMIUM, args=real_parts.CHROMIUM_ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def other_origin():
    """Return the address of a page that belongs to another program on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title>")

        def log_message(self, *_words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def made_once(tmp_path_factory, request):
    """Return a function that makes an object in one worker; the other workers wait and read it."""
    alone = not hasattr(request.config, "workerinput")
    folder = tmp_path_factory.getbasetemp().parent

    def make(name, maker, *, kept=False):
        if alone and kept and "STRUT_TESTS_KEEP" in os.environ:  # for runs that repeat tests: benchmarks/mutation.py
            file = Path(os.environ["STRUT_TESTS_KEEP"]) / f"{name}.pickle"
            if not file.exists():
                file.write_bytes(cloudpickle.dumps(maker()))
            return cloudpickle.loads(file.read_bytes())
        if alone:
            return maker()
        made = folder / f"{name}.pickle"
        failed = folder / f"{name}.failed"
        try:
            (folder / f"{name}.lock").touch(exist_ok=False)
        except FileExistsError:
            while not made.exists():
                assert not failed.exists(), f"another worker could not make the {name}"
                time.sleep(0.2)
            return cloudpickle.loads(made.read_bytes())
        try:
            value = maker()
            made.with_suffix(".part").write_bytes(cloudpickle.dumps(value))  # functions of a problem are closures
        except BaseException:
            failed.touch()
            raise
        made.with_suffix(".part").replace(made)
        return value

    return make


def pytest_collection_finish(session):
    """Collect garbage again, except in what was imported."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items):
    """Mark tests that need a synthesized gait as slow, for `-m "not slow"`, and start with the slowest files."""
    for item in items:
        if "gait" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    place = {name: number for number, name in enumerate(FIRST)}
    items.sort(key=lambda item: place.get(item.path.name, len(FIRST)))


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core, which finds what people with disabilities cannot use."""
    kept = Path(__file__).parents[1] / ".axe" / "node_modules" / "axe-core" / "axe.min.js"
    if not kept.is_file():
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed (Debian: apt-get install npm)")
        install = ["npm", "install", "--silent", "--no-save", "--prefix", str(kept.parents[2]), "axe-core@4"]
        if subprocess.run(install, check=False, capture_output=True, timeout=120).returncode or not kept.is_file():
            pytest.skip("axe-core cannot be installed by npm (no network?)")
    return kept.read_text("utf-8")
