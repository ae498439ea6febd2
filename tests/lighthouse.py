"""``make lighthouse``: Lighthouse against a server of its own, on every page that anybody may see.

Prints the four scores of each page and what cost points; reports go to ``var/lighthouse``. Exits
with 1 where a score misses its aim. Timings depend on the machine, so no test asks for them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.browser.players import browser_arguments, find_chromium
from tests.helpers.servers.process import ROOT, prepare, serving

LIGHTHOUSE = "lighthouse@12.8.2"
FOLDER = ROOT / "var/lighthouse"
AIMS = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}
PAGES = {
    "lobby": "/",
    "table, as a visitor": "/tables/1/",
    "rules": "/rules/",
    "one rule set": "/rules/casino/",
    "fair shuffle": "/fairness/",
    "log in": "/accounts/login/",
    "sign up": "/accounts/signup/",
}


def main() -> None:
    chromium, npx = find_chromium(), shutil.which("npx")
    if npx is None:
        sys.exit("Lighthouse needs Node.js 20 or newer with npm: no npx here.")
    if chromium is None:
        sys.exit("Lighthouse needs Chromium: set CHROMIUM to one.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"{LIGHTHOUSE}, its own slow phone and slow network")
    print(f"{'page':22}" + "".join(f"{name:>16}" for name in AIMS))
    with tempfile.TemporaryDirectory(prefix="blackjack-lighthouse-") as name:
        folder = Path(name)
        with serving(folder, prepare(folder / "prepared")) as server:
            short = [page for page in PAGES if not audit(page, server.url, npx, chromium)]
    sys.exit(f"Short of the aim: {', '.join(short)}" if short else 0)


def audit(page: str, site: str, npx: str, chromium: str) -> bool:
    """Print the scores of one page; whether all reach their aims."""
    report = measure(page, site, npx, chromium)
    scores = {name: round(report["categories"][name]["score"] * 100) for name in AIMS}
    print(f"{page:22}" + "".join(f"{scores[name]:16}" for name in AIMS), flush=True)
    for line in complaints(report):
        print(f"    {line}")
    return all(scores[name] >= aim for name, aim in AIMS.items())


def measure(page: str, site: str, npx: str, chromium: str) -> Any:
    """Lighthouse's report. On a busy machine it sometimes loses the trace, so it may try twice."""
    path = FOLDER / f"{page.replace(' ', '-').replace(',', '')}.json"
    flags = " ".join(["--headless=new", *browser_arguments()])
    for _ in range(2):
        result = subprocess.run(
            [npx, "--yes", LIGHTHOUSE, site + PAGES[page], "--quiet", "--output=json",
             f"--output-path={path}", f"--only-categories={','.join(AIMS)}",
             f"--chrome-flags={flags}"],
            env=os.environ | {"CHROME_PATH": chromium}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if result.returncode == 0:
            return json.loads(path.read_text())
    sys.exit(f"{LIGHTHOUSE} failed on {page}:\n{result.stderr}")


def complaints(report: dict[str, Any]) -> list[str]:
    """What costs this page points."""
    weighed = {
        each["id"]
        for category in report["categories"].values()
        for each in category["auditRefs"]
        if each["weight"]
    }
    return [
        f"{each['title']} {each.get('displayValue', '')}".strip()
        for name, each in report["audits"].items()
        if name in weighed and each["score"] is not None and each["score"] < 0.9
    ]


if __name__ == "__main__":
    main()
