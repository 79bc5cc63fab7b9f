"""Real parts: a browser, a database server and our own server as separate processes, started for tests and ended after.

Each is ended through the handle of the process that started it, never by name.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first takes half the time
CHROMIUM = next((path for name in BROWSERS if (path := shutil.which(name))), None)
CHROMIUM_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--in-process-gpu", "--renderer-process-limit=1",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader",  # scenes without a graphics card
]  # fmt: skip


def postgres_programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, newest first, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    if found:
        return found[0].parent
    there = shutil.which("initdb")
    return Path(there).parent if there else None


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def postgres_cluster(folder: Path) -> Iterator[str]:
    """Start a throwaway cluster, as the user postgres where we are root, and yield the URL of its first database."""
    programs = postgres_programs()
    port = free_port()
    assert programs is not None
    data = folder / "data"
    as_user: dict[str, object] = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        import pwd  # noqa: PLC0415

        account = pwd.getpwnam("postgres")
        as_user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        os.chown(folder, account.pw_uid, account.pw_gid)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **as_user}
    subprocess.run([programs / "initdb", "-D", data, "-U", "study", "-A", "trust", "--no-sync"], check=True, **quiet)
    options = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}"]
    server = subprocess.Popen([programs / "postgres", "-D", data, *options, "-c", "max_connections=150"], **quiet)
    try:
        wait_for_port(port)
        wait_for_answer([programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)])
        yield f"postgresql://study@127.0.0.1:{port}/postgres"
    finally:
        server.send_signal(signal.SIGQUIT)  # at once: nothing of it is wanted any more
        server.wait(timeout=20)


def wait_for_port(port: int, seconds: float = 30.0) -> None:
    """Wait until somebody listens on a port."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with socket.socket() as probe:
            probe.settimeout(0.5)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nobody listens on port {port} after {seconds:g} s")


def wait_for_answer(command: list[str | Path], seconds: float = 30.0) -> None:
    """Wait until a command succeeds."""
    until = time.monotonic() + seconds
    while subprocess.run(command, check=False).returncode:
        if time.monotonic() > until:
            raise TimeoutError(f"{command[0]} still fails after {seconds:g} s")
        time.sleep(0.05)


class ThreadServer:
    """An application served by a thread of this process, which starts at once."""

    def __init__(self, app: FastAPI) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}"
        self.server = uvicorn.Server(
            uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=1)
        )
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listening]}, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """End it and wait until it is gone."""
        self.server.should_exit = True
        self.thread.join(timeout=15)
        self.listening.close()


class StudyServer:
    """`strut study serve` as a process of its own."""

    def __init__(self, folder: Path, *options: str, port: int | None = None) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = "import sys; from strut.cli.main import main; sys.exit(main(sys.argv[1:]))"
        arguments = ["study", "serve", str(folder), "--port", str(self.port), *options]
        self.process = subprocess.Popen([sys.executable, "-c", command, *arguments], stderr=subprocess.DEVNULL)
        wait_for_port(self.port)

    def kill(self) -> None:
        """End it as a power cut would: no goodbye, no flush."""
        self.process.kill()
        self.process.wait(timeout=10)

    def stop(self) -> None:
        """End it as Ctrl-C would."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=15)
