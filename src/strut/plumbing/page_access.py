"""Page access: which requests a page that runs on this machine answers.

Every web site that a person visits can send requests to ports of this machine and open websockets there; a site whose
name its owner points to this machine (DNS rebinding) can read the answers, too. So the address of a page holds a token
that other sites do not know, and a request must name this machine and come from the page itself.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_TOKEN_BYTES = 16  # 128 bits cannot be guessed


@dataclass(frozen=True, slots=True)
class PageAccess:
    """The token of a page, and the host on which it is served."""

    host: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(_TOKEN_BYTES), repr=False)

    def url(self, host: str, port: int) -> str:
        """Return the address of the page as a browser on `host` opens it."""
        name = f"[{host}]" if ":" in host else host
        return f"http://{name}:{port}/{self.token}/"

    def own_path(self, path: str) -> str | None:
        """Return the part of a request's path after the token; None if the token is missing or wrong."""
        token, _, rest = path.removeprefix("/").partition("/")
        token = token.partition("?")[0]
        return f"/{rest}" if hmac.compare_digest(token.encode(), self.token.encode()) else None

    def refusal(self, path: str, *, host: str | None, origin: str | None) -> str | None:
        """Return why a request is refused; None if it is answered.

        Args:
            path: Its path, with the token.
            host: Its header `Host`.
            origin: Its header `Origin`; programs that are no browsers send none.
        """
        if not is_own_host(host or "", self.host):
            return "This page is served to this machine's own names alone; open the address that strut printed."
        if not is_same_origin(origin, host or ""):
            return "Pages of other sites may not use this page."
        if self.own_path(path) is None:
            return "The token is missing or wrong; open the whole address that strut printed."
        return None


def is_own_host(header: str, *names: str) -> bool:
    """Return whether a Host header names this machine: by number, or by a name that no other site can have.

    Args:
        header: The header.
        names: More names of this machine.
    """
    name = host_name(header)
    try:
        ipaddress.ip_address(name)
    except ValueError:
        machine = socket.gethostname().lower()
        return name in {"localhost", machine, f"{machine}.local", *(own.lower() for own in names)}
    return True


def host_name(header: str) -> str:
    """Return the name or number in a Host header, without its port; empty if it has none."""
    try:
        return (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:  # for instance of brackets that do not close
        return ""


def is_same_origin(origin: str | None, host: str, *, compare_ports: bool = True) -> bool:
    """Return whether a request comes from a page of the host to which it is sent, or from no page at all.

    Args:
        origin: Its header `Origin`, None if it has none.
        host: Its header `Host`.
        compare_ports: Whether another port is another site; a reverse proxy may leave the port out of `Host`.
    """
    if origin is None:
        return True
    try:
        place = urlsplit(origin)
    except ValueError:
        return False
    if place.scheme not in ("http", "https"):
        return False
    if compare_ports:
        return place.netloc.lower() == host.lower()
    return place.hostname is not None and place.hostname == host_name(host)
