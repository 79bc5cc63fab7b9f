"""The doctor: what is installed here, and what is missing with the way to get it."""

import shutil
from importlib.metadata import version

import strut
from strut.cli.main import main


def test_the_doctor_reports_the_versions_that_are_installed():
    found = {part.name: part.found for part in strut.doctor()}
    for name in ("strut", "mujoco", "casadi"):
        assert found[name] == version(name)


def test_a_program_that_is_missing_is_reported_with_the_way_to_get_it(monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda _command: None)
    assert main(["doctor"]) == 0
    printed = capsys.readouterr()
    assert "blender is missing (drawing animations): https://www.blender.org" in printed.err
    assert "next: strut demo" in printed.err
