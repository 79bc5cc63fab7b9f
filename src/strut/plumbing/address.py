"""Address: the host and port on which a page is served, checked before any work starts."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket

from strut.errors import CannotListenError

_WRONG_HOST = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)  # an address of another machine


def is_loopback(host: str) -> bool:
    """Return whether this machine alone can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket, on any free port if `port` is 0; raises CannotListenError."""
    if not 0 <= port <= 65535:
        raise CannotListenError(host, port, "ports go from 0 to 65535")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=256)
    except (socket.gaierror, UnicodeError) as error:  # UnicodeError for a name that is no host name at all
        reason = getattr(error, "strerror", None) or "it is no name of a machine"
        raise CannotListenError(host, port, reason.lower(), "host") from error
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise CannotListenError(host, port, reason, "host" if error.errno in _WRONG_HOST else "port") from error
