"""Addresses: what cannot be listened on is told, and what is to blame: the host or the port."""

import pickle
import socket

import pytest

from strut.cli.main import main
from strut.errors import CannotListenError
from strut.plumbing.address import listening_socket


def test_port_0_is_any_free_one():
    with listening_socket("127.0.0.1", 0) as listening:
        assert listening.getsockname()[1] > 0
        with socket.create_connection(listening.getsockname()):
            pass


@pytest.mark.parametrize("host", ["256.1.1.1", "no.such.host.invalid", "x" * 70 + ".org", "203.0.113.7"])
def test_a_host_that_is_not_this_machine_is_blamed_not_the_port(host):
    with pytest.raises(CannotListenError) as caught:
        listening_socket(host, 0)
    assert str(caught.value).startswith(f"This machine cannot listen on the host '{host}' (")
    assert "port" not in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_taken_or_impossible_port_is_blamed():
    with listening_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListenError, match=f"127.0.0.1:{port} .*choose another port"):
            listening_socket("127.0.0.1", port)
    with pytest.raises(CannotListenError, match="ports go from 0 to 65535"):
        listening_socket("127.0.0.1", 70000)


def test_a_wrong_host_on_the_command_line_is_one_sentence(happy_walk, tmp_path, capsys):
    from strut.formats.motion_file import save_motion  # noqa: PLC0415

    save_motion(happy_walk, tmp_path / "walk.npz")
    assert main(["show", str(tmp_path / "walk.npz"), "--host", "256.1.1.1"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("strut: This machine cannot listen on the host '256.1.1.1' (")
    assert said.count("\n") == 1
