"""Run a program under the rules of a systemd unit that a process can give itself: system calls, address
families, new rights, and memory that is written and then run. ``python -m … UNIT PROGRAM ARGUMENTS``.

What needs systemd itself (file systems, devices, capabilities) is not part of it.
"""

from __future__ import annotations

import ctypes
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from errno import EPERM
from pathlib import Path
from typing import Final

PR_SET_NO_NEW_PRIVS: Final = 38
PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 1
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | EPERM
EQUAL: Final = 4
"""Of libseccomp: ``SCMP_ACT_ALLOW``, ``SCMP_ACT_ERRNO(EPERM)`` and ``SCMP_CMP_EQ``."""


class Comparison(ctypes.Structure):
    """``struct scmp_arg_cmp``: a condition on an argument of a system call."""

    _fields_ = (
        ("argument", ctypes.c_uint), ("operator", ctypes.c_int),
        ("value", ctypes.c_uint64), ("mask", ctypes.c_uint64),
    )  # fmt: skip


def main() -> None:
    unit, *command = sys.argv[1:]
    text = Path(unit).read_text()
    assert "SystemCallErrorNumber=EPERM" in text
    libc = ctypes.CDLL(None, use_errno=True)
    assert "NoNewPrivileges=yes" in text
    assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    if "MemoryDenyWriteExecute=yes" in text:  # kernels before 6.3 do not know it
        libc.prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0)
    load_filter(allowed_calls(text), allowed_families(text))
    os.execvp(command[0], command)


def allowed_calls(unit: str) -> set[str]:
    """What is left of ``SystemCallFilter=``: a list of what may be, and one of what may not."""
    allowed = set[str]()
    for words in re.findall(r"^SystemCallFilter=(.+)$", unit, re.MULTILINE):
        names = {name for word in words.removeprefix("~").split() for name in expand(word)}
        allowed = allowed - names if words.startswith("~") else allowed | names
    # systemd allows these whatever the filter says.
    return allowed | set(expand("@default"))


def expand(word: str) -> Iterator[str]:
    """The system calls of a set, such as ``@io-event``, or the one of that name."""
    if not word.startswith("@"):
        yield word
        return
    result = subprocess.run(
        ["systemd-analyze", "syscall-filter", word], capture_output=True, text=True, check=True
    )
    for line in result.stdout.splitlines()[1:]:
        if (inner := line.strip()) and not inner.startswith("#"):
            yield from expand(inner)


def allowed_families(unit: str) -> list[int]:
    """The numbers of ``RestrictAddressFamilies=``."""
    (names,) = re.findall(r"^RestrictAddressFamilies=(.+)$", unit, re.MULTILINE)
    return sorted(getattr(socket, name) for name in names.split())


def load_filter(calls: set[str], families: list[int]) -> None:
    """Refuse all system calls but these, and sockets of other families."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(REFUSE))
    for name in calls - {"socket"}:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number != -1:  # one of another processor
            library.seccomp_rule_add(context, ALLOW, number, 0)
    number = library.seccomp_syscall_resolve_name(b"socket")
    for family in families:
        equal = Comparison(0, EQUAL, family, 0)
        assert library.seccomp_rule_add_array(context, ALLOW, number, 1, ctypes.byref(equal)) == 0
    assert library.seccomp_load(context) == 0


if __name__ == "__main__":
    main()
