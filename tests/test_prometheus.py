"""The rules for Prometheus and the dashboard for Grafana: they fit the docs and the metrics."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import skip_or_fail
from tests.test_metrics import samples, section

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "deploy/prometheus/rules.yml"
DASHBOARD = ROOT / "deploy/grafana/dashboard.json"


def load_rules() -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = yaml.safe_load(RULES.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def promtool(*arguments: str) -> str:
    """What the program says. It fails if something is wrong."""
    program = shutil.which("promtool")
    if program is None:
        skip_or_fail("promtool is missing: tests/system_packages.sh gets it")
    assert program is not None
    ended = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_rules_are_those_of_the_docs() -> None:
    table = section("Metrics").split("### Alerts")[1]
    described = re.findall(
        r"^\| (\w+) \| `(.+?)` \| (\w+) \| (.+?) \| (.+?) \|$", table, re.MULTILINE
    )
    written = [
        (
            rule["alert"], rule["expr"], rule["for"],
            rule["annotations"]["summary"], rule["annotations"]["description"],
        )
        for rule in load_rules()
    ]  # fmt: skip
    assert written == described
    assert len(written) >= 20


def test_prometheus_accepts_the_rules() -> None:
    assert f"SUCCESS: {len(load_rules())} rules found" in promtool("check", "rules", str(RULES))


SERIES = {
    'up{job="blackjack", instance="a"}': "1x30",
    'up{job="blackjack", instance="b"}': "1x5 0x25",
    'blackjack_redis_up{instance="a"}': " ".join(["NaN"] * 30),
    'blackjack_redis_up{instance="b"}': "1x5 0x25",
    'blackjack_alerts{kind="backup"}': "0x30",
    'blackjack_alerts{kind="audit"}': "1x30",
    'blackjack_audit_faults{instance="a"}': "0x10 3x20",
}


@pytest.mark.parametrize(
    ("minute", "alert", "firing"),
    [
        (5, "ProcessDown", []),
        (8, "ProcessDown", [{"job": "blackjack", "instance": "b"}]),
        (8, "RedisDown", [{"instance": "b"}]),  # not where there is none
        (20, "BackupOld", []),
        (9, "AuditFailed", []),
        (12, "AuditFailed", [{"instance": "a"}]),
    ],
)
def test_rules_fire_when_they_should(
    minute: int, alert: str, firing: list[dict[str, str]], tmp_path: Path
) -> None:
    rule = next(rule for rule in load_rules() if rule["alert"] == alert)
    expected = [
        {"exp_labels": labels | rule["labels"], "exp_annotations": rule["annotations"]}
        for labels in firing
    ]
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in SERIES.items()],
        "alert_rule_test": [
            {"eval_time": f"{minute}m", "alertname": alert, "exp_alerts": expected}
        ],
    }
    path = tmp_path / "test.yml"
    path.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "tests": [test]}))
    promtool("test", "rules", str(path))


# The dashboard


def load_panels() -> list[dict[str, Any]]:
    panels: list[dict[str, Any]] = json.loads(DASHBOARD.read_text())["panels"]
    return panels


def expressions() -> Iterator[str]:
    for panel in load_panels():
        for target in panel.get("targets", ()):
            yield target["expr"]


def test_every_panel_has_its_own_place() -> None:
    panels = load_panels()
    assert len({panel["id"] for panel in panels}) == len(panels)
    used_cells: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & used_cells, panel["title"]
        assert all(0 <= x < 24 for x, _ in cells), panel["title"]
        used_cells |= cells
        assert panel["type"] == "row" or panel["targets"], panel["title"]


def test_the_dashboard_shows_metrics_that_exist() -> None:
    metric_names: set[str] = set()
    for expression in expressions():
        named = set(re.findall(r"\b(?:blackjack|process)_\w+", expression))
        assert named or "up{" in expression, expression
        assert named <= samples(), expression
        metric_names |= named
    assert {
        "blackjack_tables", "blackjack_rounds_in_play", "blackjack_seats_taken",
        "blackjack_commands_total", "blackjack_command_seconds_bucket",
        "blackjack_deadline_lag_seconds_bucket", "blackjack_writer_queue", "blackjack_sockets",
        "process_resident_memory_bytes", "blackjack_alerts",
    } <= metric_names  # fmt: skip


def test_prometheus_understands_the_dashboard(tmp_path: Path) -> None:
    rules = [
        {"record": f"panel:{number}", "expr": expression.replace("$__rate_interval", "5m")}
        for number, expression in enumerate(expressions())
    ]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    assert f"{len(rules)} rules found" in promtool("check", "rules", str(file))
