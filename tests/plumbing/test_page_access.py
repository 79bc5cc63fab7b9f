"""Which requests a page on this machine answers, by their path, Host and Origin."""

import socket

import pytest

from strut.plumbing.page_access import PageAccess, host_name, is_same_origin

ACCESS = PageAccess("lab-pc", token="a-token")
PATH = "/a-token/"


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1:8080", "localhost:8080", "LOCALHOST", "[::1]:8080", "192.168.1.7:8080", "lab-pc:8080"),
        f"{socket.gethostname()}:8080",
        f"{socket.gethostname()}.local:8080",
    ],
)
def test_numbers_and_this_machines_own_names_are_answered(host):
    assert ACCESS.refusal(PATH, host=host, origin=None) is None
    assert ACCESS.refusal(PATH, host=host, origin=f"http://{host}") is None


@pytest.mark.parametrize(
    "host",
    [
        *("elsewhere.example", "elsewhere.example:8080", "localhost.elsewhere.example", "127.0.0.1.elsewhere.example"),
        *("", None, "[::1", "127.0.0.1, elsewhere.example", "x@elsewhere.example"),
    ],
)
def test_names_that_others_can_point_to_this_machine_are_refused(host):
    assert "own names" in ACCESS.refusal(PATH, host=host, origin=None)


@pytest.mark.parametrize(
    "origin",
    [
        *("http://elsewhere.example", "null", "", "file://", "http://127.0.0.1", "http://127.0.0.1:80801"),
        *("http://localhost:8080", "https://127.0.0.1:8080.elsewhere.example", "http://[", "chrome-extension://abc"),
    ],
)
def test_pages_of_other_origins_are_refused(origin):
    assert "other sites" in ACCESS.refusal(PATH, host="127.0.0.1:8080", origin=origin)


@pytest.mark.parametrize("path", ["/", "", "/guess/", "/a-toke/", "/a-token2/", "/é/", "/steer", "//a-token/"])
def test_a_path_without_the_token_is_refused(path):
    assert "token" in ACCESS.refusal(path, host="127.0.0.1", origin=None)
    assert ACCESS.own_path(path) is None


def test_the_path_after_the_token_is_the_pages_own():
    assert ACCESS.own_path("/a-token/steer") == "/steer"
    assert ACCESS.own_path("/a-token/") == ACCESS.own_path("/a-token") == ACCESS.own_path("/a-token?view=1") == "/"


def test_every_page_has_another_token_that_is_in_its_address_and_not_in_its_text():
    first = PageAccess("127.0.0.1")
    second = PageAccess("127.0.0.1")
    assert first.token != second.token
    assert first.url("127.0.0.1", 8080) == f"http://127.0.0.1:8080/{first.token}/"
    assert first.url("::1", 8080) == f"http://[::1]:8080/{first.token}/"
    assert first.token not in repr(first)


def test_a_proxy_may_leave_the_port_out_of_the_host():
    assert not is_same_origin("https://study.example:8443", "study.example")
    assert is_same_origin("https://study.example:8443", "study.example", compare_ports=False)
    assert not is_same_origin("https://elsewhere.example", "study.example", compare_ports=False)
    assert host_name("[::1]:80") == "::1"
