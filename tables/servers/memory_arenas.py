"""How the C library divides the memory of a process among its threads."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Final

M_ARENA_MAX: Final = -8
"""From glibc's malloc.h."""


def use_one_arena() -> None:
    """Let all threads use the same memory. By default glibc gives each thread an arena, which keeps as
    much as its largest work has needed: some 50 MB for the value of a game, in each thread that has
    computed one. Python's threads take turns anyway. Where ``MALLOC_ARENA_MAX`` is set, that counts.
    """
    if sys.platform != "linux" or "MALLOC_ARENA_MAX" in os.environ:
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none, and one arena
    if mallopt is not None:
        mallopt(M_ARENA_MAX, 1)
