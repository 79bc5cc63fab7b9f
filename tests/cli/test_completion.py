"""The Tab key: bash asks the installed script, and gets verbs, options, robots and emotions."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from strut.cli.main import main

ASK = 'eval "$(strut --show-completion bash)"; COMP_WORDS=({words}); COMP_CWORD={last}; _strut_completion strut; '


def press_tab(*words):
    """Return what bash proposes for the last word."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    folders = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    script = ASK.format(words=" ".join(f"'{word}'" for word in ("strut", *words)), last=len(words))
    done = subprocess.run(
        ["bash", "-c", script + 'printf "%s\\n" "${COMPREPLY[@]}"'],
        env={**os.environ, "PATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "proposed"),
    [
        (("re",), {"repair", "reproduce", "reconstruct"}),
        (("walk", "mr"), {"mrpete"}),
        (("distinguish", "mrpete", "--emotions", "happy,sa"), {"happy,sad"}),
        (("show", "--no-"), {"--no-open"}),
    ],
)
def test_tab_completes(words, proposed):
    assert proposed <= set(press_tab(*words))


def test_the_help_says_how_to_install_it(capsys):
    assert main(["--help"]) == 0
    assert "--install-completion" in capsys.readouterr().out
