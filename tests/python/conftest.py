"""Fixtures of the tests of the Python package, which run in an environment with its wheel (tests/python_package_test.py)."""
import os
import pathlib
import shutil
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path += [str(SOURCE / "tests"), str(SOURCE / "tests/ui")]

import check_snapshots  # noqa: E402
import diff_test  # noqa: E402
import traces  # noqa: E402

DATA = pathlib.Path(os.environ.get("KINETOSCOPE_DATA", SOURCE.parent / "shared/data"))


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """A folder with a trace, a truncated one, two runs, a job and two snapshots."""
    folder = tmp_path_factory.mktemp("files")
    sample = SOURCE / "assets/sample/sample.pt.trace.json.gz"
    shutil.copy(sample, folder / "trace.json.gz")
    (folder / "truncated.json.gz").write_bytes(sample.read_bytes()[:200_000])
    for name, kernel_us in (("before", 8000), ("after", 9000)):
        diff_test.small_run(folder / f"{name}.json", kernel_us)
    traces.job(folder / "job")
    check_snapshots.write(folder / "snapshot.pickle", [check_snapshots.recording()])
    check_snapshots.write(folder / "before.pickle", [check_snapshots.recording(oom=False)])
    return folder


@pytest.fixture
def trace(files):
    import kinetoscope
    return kinetoscope.open(files / "trace.json.gz")


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch):
    """Removes the variables that change how a browser reaches this machine."""
    for name in ("JUPYTERHUB_SERVICE_PREFIX", "JUPYTERHUB_PUBLIC_URL", "JUPYTERHUB_HOST", "KINETOSCOPE_HOST", "JPY_PARENT_PID",
                 "VSCODE_PID"):
        monkeypatch.delenv(name, raising=False)


def real_file(name):
    """Returns a file of the real data. Skips the test if it is missing."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the real data is missing: {name}")
    return path


@pytest.fixture
def real():
    return real_file
