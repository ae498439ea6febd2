"""``make bench``: what the product costs beside the floor it stands on, in one run.

Prints JSON lines with a name, the product's figure, the floor's and their ratio. Timings of this
kind of machine are noisy: only the ratios of one run mean something, and medians of five.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path

from tests.bench import latency, throughput


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="blackjack-bench-") as folder:
        for line in asyncio.run(latency.measure(Path(folder) / "latency")):
            print(json.dumps(line), flush=True)
        for line in throughput.measure(Path(folder) / "throughput"):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
