"""The check that a port is free, before anything starts."""

from __future__ import annotations

import errno
import socket


def explain_taken_port(host: str, port: int, command: str) -> str:
    """Why the port cannot be used, with a command for another one; empty if it is free."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
                return (
                    f"Cannot listen on {host} ({error.strerror}). HOST is an address of this machine, or "
                    "0.0.0.0 for all of them."
                )
            return (
                f"Cannot listen on {host} port {port} ({error.strerror}). "
                f"Another port is used by: {command} PORT={port + 1}"
            )
    return ""
