"""An environment for one package: itself, what its tests need, and Runnel as TensorFlow."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tests.packages.catalog import Package

ROOT = Path(__file__).parents[2]
TOOLS = "pytest>=8.2 pytest-timeout pytest-xdist hatchling>=1.26".split()
TENSORFLOW = "tensorflow-cpu~=2.21.0 tf-keras~=2.21.0".split()
INSTALL = "-m pip install --quiet --disable-pip-version-check".split()


def made(package: Package, home: Path, *, real: bool) -> Path:
    """The Python of an environment, with the real TensorFlow if asked for, made if need be."""
    folder = home / f"{package.name}{'-tensorflow' if real else ''}"
    python, done = folder / "bin/python", folder / "installed"
    if not done.exists() or done.read_text() != _wanted(package):
        print(f"{package.name}: making the environment {folder}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        _install(python, *TOOLS, *package.needs.split())
        if real:
            _install(python, *TENSORFLOW)
        else:
            _install(python, "--editable", str(ROOT))
            aliases = [str(ROOT / "packages" / name) for name in package.aliases]
            _install(python, "--no-deps", "--no-build-isolation", *aliases)
        _install(python, "--no-deps", *package.distribution.split())
        done.write_text(_wanted(package))
    return python


def _wanted(package: Package) -> str:
    return f"{package.distribution}\n{package.needs}\n"


def _install(python: Path, *what: str) -> None:
    subprocess.run([python, *INSTALL, *what], check=True, timeout=1800)


def tests_of(package: Package, python: Path, work: Path, sources: Path | None) -> Path:
    """A folder with the tests of a package, where they are run."""
    folder = work / package.name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "run").mkdir(parents=True)
    home = _source(package, folder, sources) if package.from_source else _installed(python)
    if not (home / package.copied).is_dir():
        raise SystemExit(f"{package.name}: there is no folder {package.copied} in {home}")
    target = folder / "run" / package.copied
    shutil.copytree(home / package.copied, target, ignore=shutil.ignore_patterns("__pycache__"))
    if package.generated:
        text = f"import importlib.util as u; print(u.find_spec({package.copied!r}).origin)"
        done = subprocess.run([python, "-c", text], check=True, capture_output=True, text=True)
        made = Path(done.stdout.strip()).parents[1] / package.generated
        shutil.copytree(made, folder / "run" / package.generated, dirs_exist_ok=True)
    for parent in [target, *target.parents][: package.copied.count("/") + 1]:
        (parent / "__init__.py").touch()
    for name in ("conftest.py", "pytest.ini"):
        if package.from_source and (home / name).exists():
            shutil.copy(home / name, folder / "run")
    return folder / "run"


def _installed(python: Path) -> Path:
    text = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    done = subprocess.run([python, "-c", text], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())


def _source(package: Package, folder: Path, sources: Path | None) -> Path:
    if sources is not None and (sources / package.name).is_dir():
        return sources / package.name
    first = package.distribution.split()[0]
    command = "-m pip download --quiet --no-deps --no-binary :all: --dest".split()
    done = subprocess.run([sys.executable, *command, folder, first], timeout=900)
    archives = list(folder.glob("*.tar.gz"))
    if done.returncode or not archives:
        raise SystemExit(
            f"{package.name}: {first} has no source distribution with tests. Put a checkout of "
            f"that release into a folder named {package.name}, and name its parent by --sources."
        )
    with tarfile.open(archives[0]) as archive:
        archive.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())
