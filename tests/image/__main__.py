"""``make test-image``: build the image without a daemon, and run it as docker-compose.yml does.

buildah builds, debootstrap makes the base where no registry of images answers, and crun runs. It
needs root on Linux, and writes nothing outside of a folder that it deletes at the end.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.helpers.servers.process import ROOT

PACKAGES: Final = {
    "buildah": "buildah", "crun": "crun", "debootstrap": "debootstrap", "ip": "iproute2",
    "tini-static": "tini",
}  # fmt: skip
"""Programs, and Debian's packages of them."""
STEP_SECONDS: Final = 900
"""The limit of a step; the build depends on the network."""
PLAY_SECONDS: Final = 600
PULL_SECONDS: Final = 60
SUITE: Final = "trixie"
MIRROR: Final = "http://deb.debian.org/debian"
SOURCES: Final = f"""\
deb {MIRROR} {SUITE} main
deb {MIRROR} {SUITE}-updates main
deb {MIRROR}-security {SUITE}-security main
"""
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
PLAY: Final = (
    "unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-ec",
    # crun knows cgroups of the second version alone.
    '[ ! -d /sys/fs/cgroup/unified ] || mount -t cgroup2 none /sys/fs/cgroup; exec "$@"', "sh",
)  # fmt: skip
"""A network, mounts and process ids of its own; whatever it started ends with it."""

_began = time.monotonic()


class CannotTest(Exception):
    """Something is missing, or a step failed. The message is for the user."""


def main() -> int:
    """Build and run the image. Returns 1 if anything fails."""
    folder = Path(tempfile.mkdtemp(prefix="blackjack-image-", dir="/var/tmp"))
    try:
        install_programs()
        build = Builder(folder)
        base = build.find_base()
        say("building the image from deploy/Dockerfile")
        build.run(["deploy/build_image.sh"], BASE=base)
        say("building PostgreSQL, Redis and Caddy")
        services = ["--file", "tests/image/services.Dockerfile", "--build-arg", f"BASE={base}"]
        build.run(["buildah", "build", *services, "--tag", "services", "tests/image"])
        for name in ("blackjack", "services"):
            build.mount(name)
        say("starting it")
        play = [*PLAY, sys.executable, "-m", "tests.image.play", str(folder)]
        result = subprocess.run(play, cwd=ROOT, timeout=PLAY_SECONDS, check=False)
        say("the image works" if result.returncode == 0 else "the image does NOT work")
        return result.returncode
    except (CannotTest, subprocess.TimeoutExpired) as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        clean_up(folder)


class Builder:
    """buildah, with its storage in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ, "BUILDAH_ISOLATION": "chroot",
            "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"),
        }  # fmt: skip
        if CERTIFICATES.exists():  # a proxy may have its own
            self.environment.setdefault("PIP_CERT", str(CERTIFICATES))
        # The slower one copies each layer whole, and works everywhere.
        for driver in ("overlay", "vfs"):
            (folder / "storage.conf").write_text(
                f'[storage]\ndriver = "{driver}"\ngraphroot = "{folder}/storage"\n'
                f'runroot = "{folder}/run"\n'
            )
            if self._call("buildah", "images", timeout=60).returncode == 0:
                return
        raise CannotTest("buildah can use neither overlay nor vfs here.")

    def run(self, command: Sequence[str], **variables: str) -> None:
        """Run a command of the build. Raises :class:`CannotTest` with the end of what it printed."""
        result = self._call(*command, timeout=STEP_SECONDS, **variables)
        if result.returncode:
            output = "\n".join(result.stdout.splitlines()[-30:])
            raise CannotTest(f"{output}\n{' '.join(command)} ended with {result.returncode}.")

    def find_base(self) -> str:
        """The base of deploy/Dockerfile, or the same release of Debian from its packages."""
        text = (ROOT / "deploy/Dockerfile").read_text()
        (base,) = re.findall(r"^ARG BASE=(\S+)$", text, re.MULTILINE)
        try:
            is_here = self._call("buildah", "pull", base, timeout=PULL_SECONDS).returncode == 0
        except subprocess.TimeoutExpired:
            is_here = False
        if is_here:
            say(f"the base is {base}")
            return str(base)
        say(f"{base} is out of reach: making a base by debootstrap")
        root = self.folder / "base"
        self.run(["debootstrap", "--variant=minbase", SUITE, str(root), MIRROR])
        (root / "etc/apt/sources.list").write_text(SOURCES)
        for cache in ("var/cache/apt/archives", "var/lib/apt/lists"):
            shutil.rmtree(root / cache, ignore_errors=True)
        self.run(["buildah", "from", "--name", "base", "scratch"])
        self.run(["buildah", "add", "--quiet", "base", str(root), "/"])
        self.run(["buildah", "commit", "--quiet", "--rm", "base", "localhost/debian:13"])
        shutil.rmtree(root)
        return "localhost/debian:13"

    def mount(self, name: str) -> None:
        """Mount an image, and write what ``play.py`` needs of it."""
        self.run(["buildah", "from", "--name", f"run-{name}", f"localhost/{name}"])
        root = self._call("buildah", "mount", f"run-{name}", timeout=60).stdout.strip()
        about = self._call("buildah", "inspect", f"run-{name}", timeout=60).stdout
        config: dict[str, Any] = json.loads(about)["Docker"]["config"]
        (self.folder / f"{name}.json").write_text(json.dumps({"root": root, "config": config}))

    def _call(
        self, *command: str, timeout: float, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=ROOT, env=self.environment | variables, timeout=timeout, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip


def install_programs() -> None:
    """Install what is missing with apt. Raises :class:`CannotTest` where that cannot be done."""
    if os.geteuid() != 0:
        raise CannotTest("make test-image needs root: it makes file systems and networks.")
    missing = sorted(package for name, package in PACKAGES.items() if not shutil.which(name))
    if not missing:
        return
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    if not shutil.which("apt-get"):
        raise CannotTest(f"Not found; on Debian: {' '.join(command)}")
    say(f"installing {' '.join(missing)}")
    subprocess.run(["apt-get", "update", "-qq"], check=False, stdout=subprocess.DEVNULL)
    result = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    if result.returncode:
        raise CannotTest(f"{' '.join(command)} ended with {result.returncode}.")


def clean_up(folder: Path) -> None:
    """Unmount and delete everything."""
    if (folder / "storage.conf").exists():
        environment = os.environ | {"CONTAINERS_STORAGE_CONF": str(folder / "storage.conf")}
        subprocess.run(
            ["buildah", "rm", "--all"], env=environment, check=False, capture_output=True
        )
    for line in reversed(Path("/proc/mounts").read_text().splitlines()):
        target = line.split()[1]
        if Path(target).is_relative_to(folder):
            subprocess.run(["umount", target], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def say(words: str) -> None:
    print(f"{time.monotonic() - _began:6.1f} s  {words}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
