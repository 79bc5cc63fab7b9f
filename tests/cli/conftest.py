"""What tests of the command line share."""

from __future__ import annotations

from contextlib import redirect_stdout
from pathlib import Path

import pytest

from strut.cli.main import main
from tests.made_once import made_once


@pytest.fixture(scope="session")
def happy_human(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A human walk as the command line writes it, on the usual mesh, beside its receipt: 20 s of processor time."""

    def make(path: Path) -> None:
        receipt = tmp_path_factory.getbasetemp() / "receipt.json"
        walk = ["walk", "heiman", "--emotion", "happy", "--intensity", "0.5", "--cycles", "2"]
        with receipt.open("w") as file, redirect_stdout(file):
            assert main([*walk, "--json", "--out", str(path)]) == 0
        receipt.rename(path.with_name("happy_human.json"))

    return made_once(tmp_path_factory, "happy_human.npz", make)
