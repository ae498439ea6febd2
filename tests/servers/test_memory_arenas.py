"""The memory of a process whose threads have computed values of games, one after another."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.helpers.servers.process import ROOT

COMPUTE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tables.engine.options import customize
from tables.odds.games import evaluate_game
from tables.servers.memory_arenas import use_one_arena

def megabytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4 // 1024

if sys.argv[1] == "one":
    use_one_arena()
rules = customize("pot", {"decks": 2})
evaluate_game(rules)
before = megabytes()
threads = [ThreadPoolExecutor(1) for _ in range(3)]
for thread in threads:
    thread.submit(evaluate_game, rules).result()
print(megabytes() - before)
"""


def megabytes_more(arenas: str) -> int:
    result = subprocess.run(
        [sys.executable, "-c", COMPUTE, arenas],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        timeout=120, check=True,
    )  # fmt: skip
    return int(result.stdout)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone divides it")
def test_threads_that_compute_do_not_each_keep_the_memory() -> None:
    assert megabytes_more("one") * 2 < megabytes_more("many")
