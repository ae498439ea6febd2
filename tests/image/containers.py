"""Containers as Docker starts them from docker-compose.yml, by crun: without an engine.

All of this is for the process of ``play.py``, which has a network and process ids of its own.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

CRUN: Final = ("crun", "--cgroup-manager=disabled", "--root")
BRIDGE, PREFIX, OUTSIDE = "cards0", "10.89.0", 1
"""The network of the containers. ``OUTSIDE`` is this process."""
INIT: Final = "/sbin/docker-init"
DEFAULT_CAPABILITIES: Final = frozenset({
    "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE",
    "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
})  # fmt: skip
"""Docker's default."""
UNDERSTOOD: Final = frozenset({
    "build", "cap_add", "cap_drop", "command", "depends_on", "deploy", "environment", "healthcheck",
    "image", "init", "ports", "pull_policy", "read_only", "restart", "security_opt",
    "stop_grace_period", "tmpfs", "user", "volumes",
})  # fmt: skip
"""The keys of a service that this module applies, and those that do not matter here."""
NAMESPACES: Final = ("pid", "mount", "ipc", "uts", "network")
IN_FLAGS: Final = ["nosuid", "noexec", "nodev"]


class StepFailure(Exception):
    """A step that did not do what it should."""


@dataclass
class Image:
    """The mounted root of an image, and how its containers start."""

    root: Path
    config: dict[str, Any]

    @classmethod
    def load(cls, folder: Path) -> Image:
        """Read what ``__main__.py`` has written about an image."""
        about = json.loads(folder.read_text())
        return cls(Path(about["root"]), about["config"])

    def find_user(self, name: str) -> tuple[int, int]:
        """The numbers of a user and of its group; those of root for an empty name."""
        for line in (self.root / "etc/passwd").read_text().splitlines():
            user, _, uid, gid, *_ = line.split(":")
            if user == (name or "root"):
                return int(uid), int(gid)
        raise StepFailure(f"The image has no user {name!r}.")


@dataclass
class Container:
    """One container. ``service`` is its part of the compose file."""

    name: str
    image: Image
    service: Mapping[str, Any]
    folder: Path
    address: str
    pid: int = 0
    status: int | None = None
    spec: dict[str, Any] = field(default_factory=dict)

    @property
    def log(self) -> Path:
        """Everything that it printed."""
        return self.folder / f"{self.name}.log"

    def start(self) -> None:
        """Create it, connect it with the network, and start its command."""
        self.spec = self._build_spec()
        bundle = self.folder / "bundles" / self.name
        bundle.mkdir(parents=True, exist_ok=True)
        (bundle / "config.json").write_text(json.dumps(self.spec))
        with self.log.open("ab") as log:
            self._crun("create", "--bundle", str(bundle), self.name, stdout=log, stderr=log)
        self.pid = json.loads(self._crun("state", self.name).stdout)["pid"]
        self.status = None
        _connect(self.pid, self.address)
        self._crun("start", self.name)

    def poll(self) -> int | None:
        """Its exit status, or ``None`` while it runs. crun leaves it to this process, the first one."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                self._crun("delete", "--force", self.name)
        return self.status

    def wait(self, seconds: float) -> int:
        """Wait for its end. Returns the exit status."""
        wait_for(f"{self.name} to end", seconds, lambda: self.poll() is not None)
        assert self.status is not None
        return self.status

    def stop(self) -> tuple[int, float]:
        """Stop it as Docker does. Returns the exit status and the seconds that it took."""
        allowed = float(str(self.service.get("stop_grace_period", "10s")).removesuffix("s"))
        began = time.monotonic()
        self._crun("kill", self.name, "TERM")
        try:
            status = self.wait(allowed)
        except StepFailure:
            self._crun("kill", self.name, "KILL")
            self.wait(5)
            raise
        return status, time.monotonic() - began

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in it, with its user and its environment, as ``docker compose exec``."""
        process = self.folder / f"{self.name}-process.json"
        process.write_text(json.dumps(self.spec["process"] | {"args": command}))
        return self._crun("exec", "--process", str(process), self.name, is_checked=False)

    def is_healthy(self) -> bool:
        """Whether its health check succeeds."""
        if self.poll() is not None:
            raise StepFailure(f"{self.name} ended with {self.status}:\n{self.read_log()}")
        return self.run(*self._health_check()).returncode == 0

    def read_log(self) -> str:
        """The end of its log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-12:])

    def _health_check(self) -> Sequence[str]:
        check = self.service.get("healthcheck")
        if check is not None:
            return ("/bin/sh", "-c", check["test"])
        own: list[str] = self.image.config["Healthcheck"]["Test"]
        return own[1:]

    def _crun(
        self, *arguments: str, is_checked: bool = True, **outputs: Any
    ) -> subprocess.CompletedProcess[str]:
        outputs = outputs or {"capture_output": True}
        command = [*CRUN, str(self.folder / "crun"), *arguments]
        result = subprocess.run(
            command, text=True, check=False, stdin=subprocess.DEVNULL, **outputs
        )
        if is_checked and result.returncode:
            reason = result.stderr or self.read_log()
            raise StepFailure(
                f"crun {' '.join(arguments)} ended with {result.returncode}: {reason}"
            )
        return result

    def _build_spec(self) -> dict[str, Any]:
        """The container's description for crun: docs of the Open Container Initiative."""
        if unknown := set(self.service) - UNDERSTOOD:
            raise StepFailure(f"{self.name}: tests/image/containers.py does not know {unknown}.")
        config, service = self.image.config, self.service
        variables = service.get("environment", {})
        environment = dict(entry.split("=", 1) for entry in config.get("Env") or [])
        environment |= {name: str(value) for name, value in variables.items() if value is not None}
        uid, gid = self.image.find_user(service.get("user") or config.get("User") or "")
        command = service.get("command")
        arguments = shlex.split(command) if isinstance(command, str) else config["Cmd"]
        arguments = [*(config.get("Entrypoint") or []), *arguments]
        if service.get("init"):
            arguments = [INIT, "--", *arguments]
        defaults = () if "ALL" in service.get("cap_drop", ()) else DEFAULT_CAPABILITIES
        capabilities = [f"CAP_{name}" for name in {*defaults, *service.get("cap_add", ())}]
        return {
            "ociVersion": "1.0.2",
            "hostname": self.name,
            "process": {
                "terminal": False,
                "user": {"uid": uid, "gid": gid},
                "args": arguments,
                "env": [f"{name}={value}" for name, value in environment.items()],
                "cwd": config.get("WorkingDir") or "/",
                "noNewPrivileges": "no-new-privileges:true" in service.get("security_opt", []),
                "capabilities": {
                    "bounding": capabilities,
                    "permitted": [] if uid else capabilities,
                    "effective": [] if uid else capabilities,
                },
            },
            "root": {"path": str(self.image.root), "readonly": bool(service.get("read_only"))},
            "mounts": self._list_mounts(),
            "linux": {"namespaces": [{"type": kind} for kind in NAMESPACES]},
        }

    def _list_mounts(self) -> list[dict[str, Any]]:
        def memory(target: str, *options: str) -> dict[str, Any]:
            return {
                "destination": target,
                "type": "tmpfs",
                "source": "tmpfs",
                "options": [*options],
            }

        mounts = [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            memory("/dev", "nosuid", "strictatime", "mode=755", "size=64k"),
            {"destination": "/dev/pts", "type": "devpts", "source": "devpts",
             "options": ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"]},
            memory("/dev/shm", *IN_FLAGS, "mode=1777", "size=64m"),
            {"destination": "/sys", "type": "sysfs", "source": "sysfs", "options": [*IN_FLAGS, "ro"]},
            _bind(self.folder / "hosts", "/etc/hosts", "ro"),
        ]  # fmt: skip
        mounts += [
            memory(target, *IN_FLAGS, "mode=1777") for target in self.service.get("tmpfs", [])
        ]
        for volume in self.service.get("volumes", []):
            source, target, *options = volume.split(":")
            mounts.append(_bind(self._find_source(source, target), target, *options))
        if self.service.get("init"):
            mounts.append(_bind(Path(shutil.which("tini-static") or ""), INIT, "ro"))
        return mounts

    def _find_source(self, source: str, target: str) -> Path:
        """A file of the project, or a volume, which begins as that folder of the image."""
        if source.startswith("./"):
            return Path(source).resolve()
        volume = self.folder / "volumes" / source
        if not volume.exists():
            volume.mkdir(parents=True)
            first = self.image.root / target.lstrip("/")
            if first.is_dir():
                status = first.stat()
                os.chown(volume, status.st_uid, status.st_gid)
                volume.chmod(stat.S_IMODE(status.st_mode))
        return volume


def _bind(source: Path, target: str, *options: str) -> dict[str, Any]:
    return {
        "destination": target, "type": "bind", "source": str(source),
        "options": ["rbind", *options],
    }  # fmt: skip


def open_network() -> None:
    """Make the bridge between the containers, and its address here."""
    _ip("link", "set", "lo", "up")
    _ip("link", "add", BRIDGE, "type", "bridge")
    _ip("addr", "add", f"{PREFIX}.{OUTSIDE}/24", "dev", BRIDGE)
    _ip("link", "set", BRIDGE, "up")


def _connect(pid: int, address: str) -> None:
    outer = f"veth{address.rsplit('.', 1)[1]}"
    _ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", str(pid))
    _ip("link", "set", outer, "master", BRIDGE, "up")
    inside = ("nsenter", "--target", str(pid), "--net", "ip")
    for command in (
        ("link", "set", "lo", "up"), ("addr", "add", f"{address}/24", "dev", "eth0"),
        ("link", "set", "eth0", "up"),
    ):  # fmt: skip
        subprocess.run([*inside, *command], check=True)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


def fill_in(text: str, variables: Mapping[str, str]) -> str:
    """Put variables into a compose file: ``${NAME}``, ``${NAME:-default}``, ``${NAME:?error}``."""

    def replace(match: re.Match[str]) -> str:
        name, kind, words = match.groups()
        if name not in variables and kind == ":?":
            raise StepFailure(f"{name}: {words}")
        return variables.get(name, words if kind == ":-" else "")

    return re.sub(r"\$\{(\w+)(?:(:-|:\?)([^}]*))?\}", replace, text)


def wait_for(what: str, seconds: float, is_so: Callable[[], bool]) -> None:
    """Wait for a condition. Raises :class:`StepFailure` after ``seconds``."""
    until = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until:
            raise StepFailure(f"Waited {seconds:.0f} seconds for {what}.")
        time.sleep(0.1)  # programs in containers send no signal
