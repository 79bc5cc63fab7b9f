"""`strut drive` as a user meets it: what is refused, and that Ctrl-C ends it cleanly."""

import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from strut.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["alice"], "alice has no control"),
        (["nobody"], "no robot"),
        (["cassie", "--friction", "-1"], "The friction is -1; it must be above 0"),
        (["cassie", "--port", "70000"], "ports go from 0 to 65535"),
    ],
)
def test_a_robot_that_cannot_be_driven_is_an_error_in_one_sentence(capsys, arguments, words):
    assert main(["drive", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_the_page_is_served_until_ctrl_c(tmp_path):
    told = tmp_path / "told.txt"
    with told.open("w") as out:
        command = [sys.executable, "-m", "strut", "drive", "cassie", "--port", "0"]
        running = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        try:
            for _ in range(600):
                if "drive on" in told.read_text():
                    break
                time.sleep(0.1)
            url = told.read_text().split("drive on ")[1].split(";")[0]
            with urllib.request.urlopen(url, timeout=30) as answer:
                page = answer.read().decode()
            running.send_signal(signal.SIGINT)
            assert running.wait(30) == 0
        finally:
            running.kill()
    assert all(f'data-story="{name}"' in page for name in ("angry", "tired"))
    assert "Traceback" not in told.read_text()
