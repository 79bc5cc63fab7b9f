"""The browser: it opens by itself for a person at a terminal, and not with --no-open or without a terminal."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from strut.cli.main import main

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")


@pytest.fixture(scope="module")
def motion(tmp_path_factory):
    file = tmp_path_factory.mktemp("shown") / "walk.npz"
    assert main(["walk", "mrpete", "--cycles", "2", "--out", str(file)]) == 0
    return file


def serve_until_ready(motion, folder, *options, at_terminal=True):
    """Run `strut show` until it names its address; return the address that its browser was given, if any."""
    opened = folder / "opened.txt"
    browser = folder / "browser.sh"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    person, terminal = pty.openpty()
    log = folder / "log.txt"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "strut", "show", str(motion), "--port", str(port), *options],
            env={**os.environ, "DISPLAY": ":0", "BROWSER": f"{browser} %s", "TERM": "xterm"},
            stdout=subprocess.DEVNULL,
            stderr=terminal if at_terminal else file,
        )
    os.close(terminal)
    said = ""
    until_s = monotonic() + 120.0
    while "Ctrl-C ends it" not in said and monotonic() < until_s:
        if at_terminal:
            said += os.read(person, 4096).decode()
        else:
            sleep(0.05)
            said = log.read_text()
    assert f"127.0.0.1:{port}" in said
    sleep(0.5)  # a browser would have been asked by now
    process.send_signal(signal.SIGINT)
    process.wait(60.0)
    os.close(person)
    return opened.read_text().strip() if opened.exists() else None, port


def test_a_person_at_a_terminal_sees_the_page(motion, tmp_path):
    address, port = serve_until_ready(motion, tmp_path)
    assert address is not None
    assert address.startswith(f"http://127.0.0.1:{port}")


@pytest.mark.parametrize(("options", "at_terminal"), [(["--no-open"], True), ([], False)])
def test_nothing_opens_unasked(motion, tmp_path: Path, options, at_terminal):
    address, _ = serve_until_ready(motion, tmp_path, *options, at_terminal=at_terminal)
    assert address is None
