"""Which Python `make` uses, and on which others the quick part of the tests runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import ROOT

OWN = f"{sys.version_info.major}.{sys.version_info.minor}"
OTHER = "3.12" if OWN != "3.12" else "3.13"
NOT_FOUND = {f"Python {version}: not found" for version in ("3.11", "3.12", "3.13", "3.14")}
MAKE_VARIABLES = ("MAKEFLAGS", "PYTHON", "STRICT")
"""`make` hands its variables on to the tests that it runs."""
IS_THAT_ONE = f"""case "$1$2" in -c*"!= '{OTHER}'"*) exit 0;; esac"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """What `make` needs of the project, with lock files in which nothing is, and the programs of
    this machine but for its Pythons.
    """
    (tmp_path / "bin").mkdir()
    for path in Path("/usr/bin").iterdir():
        if not path.name.startswith("python3."):
            (tmp_path / "bin" / path.name).symlink_to(path)
    scripts = ("deploy/find_python.sh", "deploy/install_packages.sh", "tests/other_pythons.sh")
    for name in ("Makefile", *scripts):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "requirements").mkdir()
    for name in ("run", "dev", "uv"):
        (tmp_path / f"requirements/{name}.txt").write_text("# nothing\n")
    return tmp_path


def program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # or a link would have the machine's own program overwritten
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def run(project: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run it where no other Python than those of the test is found."""
    own = {"PATH": f"{project}/bin", "PYENV_ROOT": f"{project}/pyenv"}
    inherited = {name: value for name, value in os.environ.items() if name not in MAKE_VARIABLES}
    return subprocess.run(
        command, cwd=project, env=inherited | own | variables, capture_output=True, text=True
    )


def quick_part(project: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return run(project, "tests/other_pythons.sh", sys.executable, **variables)


def add_other_python(project: Path, *, ends: int) -> None:
    """Another Python with its environment, in which pytest ends with that status."""
    program(project / f"pyenv/versions/{OTHER}.1/bin/python{OTHER}", IS_THAT_ONE + "\nexit 3")
    script = f'[ "$2" != pytest ] || {{ echo "asked: $*"; exit {ends}; }}'
    program(project / f".venv-{OTHER}/bin/python", f"{IS_THAT_ONE}\n{script}\nexit 3")
    shutil.copy(project / "requirements/dev.txt", project / f".venv-{OTHER}/dev.txt")


@pytest.mark.long(seconds=10)
def test_an_environment_of_another_python_is_made_anew(project: Path) -> None:
    make = ("make", ".venv/run.stamp")
    assert run(project, *make, f"PYTHON={sys.executable}").returncode == 0
    stamp, config = project / ".venv/run.stamp", project / ".venv/pyvenv.cfg"
    first = stamp.stat().st_mtime_ns
    assert run(project, *make, f"PYTHON={sys.executable}").returncode == 0
    assert stamp.stat().st_mtime_ns == first, "it is that one already"
    before = config.read_text()
    config.write_text(re.sub(r"(?m)^version = .*", "version = 3.9.1", before))
    for name in ("no-such-python", "false"):
        refused = run(project, *make, f"PYTHON={name}")
        assert refused.returncode == 2
        assert f"PYTHON={name} is no Python that runs." in refused.stderr
        assert run(project, *make, PYTHON=name).returncode == 0, "a variable for other programs"
    assert run(project, *make).returncode == 0
    assert stamp.stat().st_mtime_ns == first, "nobody said which, or there is none"
    assert run(project, *make, PYTHON=sys.executable).returncode == 0
    assert config.read_text() == before
    assert stamp.stat().st_mtime_ns > first


@pytest.mark.parametrize(
    ("uv_is_installed", "uv_works", "installers"),
    [(True, True, ["uv"]), (True, False, ["uv", "pip"]), (False, False, ["pip"])],
)
def test_packages_are_installed_by_uv_and_else_by_pip(
    project: Path, uv_is_installed: bool, uv_works: bool, installers: list[str]
) -> None:
    log = project / "asked"
    fails = "" if uv_is_installed else 'case "$*" in *uv.txt*) exit 1;; esac'
    program(project / ".venv/bin/python", f'echo "pip: $*" >>{log}\n{fails}')
    program(
        project / ".venv/bin/uv", f'echo "uv: $*" >>{log}\n{"exit 0" if uv_works else "exit 1"}'
    )
    ended = run(project, "make", ".venv/run.stamp")
    assert ended.returncode == 0, ended.stderr
    lines = [line for line in log.read_text().splitlines() if "requirements/run.txt" in line]
    assert [line.split(":")[0] for line in lines] == installers
    assert all("--require-hashes" in line for line in lines)


def test_packages_that_nothing_can_install_are_an_error(project: Path) -> None:
    program(project / ".venv/bin/python", "echo no network >&2; exit 1")
    ended = run(project, "make", ".venv/run.stamp")
    assert ended.returncode == 2
    assert "no network" in ended.stderr
    assert not (project / ".venv/run.stamp").exists()


@pytest.mark.parametrize("is_optimised", [False, True])
def test_a_python_compiled_here_gives_way_to_the_distributions_own(
    project: Path, is_optimised: bool
) -> None:
    own = Path(f"/usr/bin/python{OWN}")
    arguments = "--enable-optimizations" if is_optimised else ""
    code = f"import sysconfig; sysconfig.get_config_vars()['CONFIG_ARGS'] = '{arguments}'"
    (project / "lib").mkdir()
    (project / "lib/sitecustomize.py").write_text(code)
    program(project / "bin/python3", f'exec env PYTHONPATH={project}/lib {sys.executable} "$@"')
    ended = run(project, "deploy/find_python.sh")
    can_be_used = own.exists() and (os.geteuid() == 0 or _has_pip(own))
    expected = "python3" if is_optimised or not can_be_used else str(own)
    assert ended.stdout == f"{expected}\n", ended.stderr


def _has_pip(python: Path) -> bool:
    return subprocess.run([python, "-c", "import ensurepip"]).returncode == 0


def test_pythons_that_are_not_there_or_do_not_run_are_a_line_each(project: Path) -> None:
    program(
        project / f"bin/python{OTHER}", f"echo pyenv: python{OTHER}: command not found; exit 127"
    )
    ended = quick_part(project, STRICT="1")
    assert ended.returncode == 0, ended.stderr
    expected = NOT_FOUND - {f"Python {OWN}: not found"}
    assert expected == set(ended.stdout.splitlines())


@pytest.mark.parametrize("ends", [0, 1])
def test_case_46_what_fails_on_another_python_fails_the_tests(project: Path, ends: int) -> None:
    add_other_python(project, ends=ends)
    ended = quick_part(project)
    assert f"Python {OTHER}: the quick part" in ended.stdout
    assert ended.returncode == ends
    invocation = next(line for line in ended.stdout.splitlines() if line.startswith("asked: "))
    for path in re.findall(r"tests/[\w/*]+\.py", invocation):
        assert list(ROOT.glob(path)), path
    node = invocation.split("::")[1]
    assert f"def {node}(" in (ROOT / "tests/servers/test_server.py").read_text()


def test_an_environment_that_cannot_be_made_is_left_out_but_in_strict_runs(project: Path) -> None:
    add_other_python(project, ends=0)
    (project / f".venv-{OTHER}/dev.txt").write_text("of another lock file\n")
    ended = quick_part(project)
    assert f"Python {OTHER}: left out, as .venv-{OTHER} cannot be made" in ended.stdout
    assert ended.returncode == 0, ended.stderr
    ended = quick_part(project, STRICT="1")
    assert f"Python {OTHER}: .venv-{OTHER} cannot be made" in ended.stdout
    assert ended.returncode == 1


@pytest.mark.parametrize(("strict", "ends"), [("", 0), ("1", 2)])
def test_without_npm_scripts_are_left_unchecked_but_in_strict_runs(
    project: Path, strict: str, ends: int
) -> None:
    fails = 'case "$*" in *npm*) echo npm error code ENOTFOUND; exit 1;; esac'
    for name, script in [("python", fails), ("ruff", ""), ("mypy", "")]:
        program(project / f".venv/bin/{name}", script)
    (project / ".venv/dev.stamp").touch()
    (project / "package-lock.json").touch()
    ended = run(project, "make", "check", f"STRICT={strict}")
    warnings = [line for line in ended.stdout.splitlines() if "NOT checked" in line]
    assert warnings == [
        "Scripts and stylesheets are NOT checked, as npm failed: npm error code ENOTFOUND"
    ]
    assert ended.returncode == ends, ended.stdout + ended.stderr


def test_all_say_the_same_pythons() -> None:
    classifiers = re.findall(
        r"Python :: (3\.\d+)\"", (ROOT / "pyproject.toml").read_text(), re.MULTILINE
    )
    listed = re.search(
        r"^for version in (.*); do", (ROOT / "tests/other_pythons.sh").read_text(), re.M
    )
    assert listed
    assert listed[1].split() == classifiers
    assert f"Python {classifiers[0]} to {classifiers[-1]}" in (ROOT / "README.md").read_text()


def with_list(project: Path, *, can_be_reached: bool, audit: str) -> dict[str, str]:
    """A Python for which the list of vulnerabilities is there or not, and what pip-audit then does."""
    for name in ("advisories.sh", "build_image.sh"):
        shutil.copy(ROOT / "deploy" / name, project / "deploy" / name)
    shutil.copy(ROOT / "pyproject.toml", project)
    (project / "requirements/scale.txt").write_text("# nothing\n")
    program(project / "tools/pip", "")
    program(project / "tools/pip-audit", audit)
    python = f"""case "$1$2" in
        -c*pypi.org*) exit {0 if can_be_reached else 1};;
        -mvenv) mkdir -p $3/bin; cp {project}/tools/* $3/bin; exit 0;;
    esac; exec {sys.executable} "$@" """
    program(project / "bin/a-python", python)
    program(project / "bin/buildah", 'echo "built: $*"')
    return {"PYTHON": "a-python"}


AUDIT_FINDING = 'while [ "$1" != --output ]; do shift; done; echo "django 5.2 GHSA-1" >"$2"; exit 1'


def test_an_image_is_built_where_the_list_of_vulnerabilities_is_out_of_reach(project: Path) -> None:
    ended = run(
        project, "make", "image", **with_list(project, can_be_reached=False, audit=AUDIT_FINDING)
    )
    assert ended.returncode == 0, ended.stderr
    assert "NOTHING was looked up" in ended.stdout
    version = re.search(r'(?m)^version = "(.+)"$', (ROOT / "pyproject.toml").read_text())
    assert version
    assert "built: build --layers --format docker --file deploy/Dockerfile" in ended.stdout
    assert f"--tag blackjack:{version[1]} --tag blackjack:latest" in ended.stdout


@pytest.mark.parametrize(
    ("audit", "is_built"),
    [("exit 0", True), (AUDIT_FINDING, False), ("echo no answer >&2; exit 1", True)],
    ids=["nothing found", "found", "breaks off"],
)
def test_an_image_with_a_known_vulnerability_is_not_built(
    project: Path, audit: str, is_built: bool
) -> None:
    ended = run(project, "make", "image", **with_list(project, can_be_reached=True, audit=audit))
    assert (ended.returncode == 0) == is_built, ended.stdout + ended.stderr
    assert ("built: " in ended.stdout) == is_built
    assert ("GHSA-1" in ended.stdout) == (audit == AUDIT_FINDING)


def test_a_registry_of_ones_own_is_handed_on_to_the_build(project: Path) -> None:
    variables = with_list(project, can_be_reached=False, audit="") | {
        "BASE": "localhost/debian:13", "PIP_INDEX_URL": "https://pip.example", "PIP_CERT": "/c.pem",
    }  # fmt: skip
    ended = run(project, "make", "image", **variables)
    for option in (
        "--build-arg BASE=localhost/debian:13", "--build-arg PIP_INDEX_URL=https://pip.example",
        "--build-arg PIP_CERT=/run/certificates.pem --volume /c.pem:/run/certificates.pem:ro",
    ):  # fmt: skip
        assert option in ended.stdout


def test_a_machine_that_can_build_no_image_says_so(project: Path) -> None:
    variables = with_list(project, can_be_reached=False, audit="")
    (project / "bin/buildah").unlink()
    program(project / "bin/docker", "exit 1")  # the client without its engine
    ended = run(project, "make", "image", **variables)
    assert ended.returncode != 0
    assert "Neither buildah nor a running Docker is here." in ended.stderr
    program(project / "bin/docker", 'echo "docker: $*"')
    ended = run(project, "make", "image", **variables)
    assert ended.returncode == 0
    assert "docker: build --file deploy/Dockerfile" in ended.stdout
