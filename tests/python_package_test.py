#!/usr/bin/env python3
# Covers: query_command, table_command
"""Builds the wheel of app/python around a program, installs it in a fresh environment, and runs the tests of tests/python there.

    python3 tests/python_package_test.py --kinetoscope build/release/kinetoscope [--data FOLDER] [PYTEST_ARGUMENT...]

Uses no network. Ends with exit code 77, and a reason, if no Python on this machine has the required modules.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
REQUIRED = ("pytest", "pandas", "setuptools", "wheel", "pip")
SKIPPED = 77


def find_python():
    """Returns a Python that has all required modules. The first one of the PATH may lack the packages of the distribution."""
    for python in (sys.executable, "/usr/bin/python3"):
        tried = subprocess.run([python, "-c", f"import {', '.join(REQUIRED)}"], capture_output=True, check=False)
        if tried.returncode == 0:
            return python
    print(f"skipped: no Python has the modules {', '.join(REQUIRED)}; assets/package/install_dependencies tests installs them")
    sys.exit(SKIPPED)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinetoscope", required=True)
    parser.add_argument("--data", default=str(SOURCE.parent / "shared/data"))
    options, pytest_arguments = parser.parse_known_args()
    python = find_python()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run = {"check": True, "cwd": folder, "env": {
            **{key: value for key, value in os.environ.items() if key not in ("KINETOSCOPE", "PYTHONPATH")},
            "PYTHONDONTWRITEBYTECODE": "1", "KINETOSCOPE_DATA": options.data, "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "JUPYTER_CONFIG_DIR": str(folder / "jupyter"), "IPYTHONDIR": str(folder / "ipython"),
            **{f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA", "STATE")}}}
        wheel = subprocess.run([python, SOURCE / "app/python/build_wheel", pathlib.Path(options.kinetoscope).resolve(), folder],
                               stdout=subprocess.PIPE, text=True, **run).stdout.strip()
        subprocess.run([python, "-m", "venv", "--system-site-packages", "--without-pip", "venv"], **run)
        inside = str(folder / "venv/bin/python")
        subprocess.run([inside, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel], **run)
        run["check"] = False
        return subprocess.run([inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib",
                               *(pytest_arguments or [str(SOURCE / "tests/python")])], **run).returncode


if __name__ == "__main__":
    sys.exit(main())
