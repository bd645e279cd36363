"""Finds and runs the program `kinetoscope`."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import warnings
from collections.abc import Sequence

from .errors import KinetoscopeError, KinetoscopeWarning

PACKAGED = pathlib.Path(__file__).parent / "bin" / "kinetoscope"


def find_program() -> str:
    """Returns the path of the program: the environment variable KINETOSCOPE, else the executable in this package, else the PATH.

    Raises KinetoscopeError if there is none.
    """
    named = os.environ.get("KINETOSCOPE")
    if named:
        found = shutil.which(named)
        if found is None:
            raise KinetoscopeError(f"The environment variable KINETOSCOPE names no executable: {named}")
        return found
    if PACKAGED.is_file():
        return str(PACKAGED)
    found = shutil.which("kinetoscope")
    if found is None:
        raise KinetoscopeError("The program kinetoscope was not found; install the wheel for this machine, add the program to the "
                               "PATH, or name it in the environment variable KINETOSCOPE")
    return found


def run_program(arguments: Sequence[str], *, given: str | None = None) -> bytes:
    """Returns the standard output of the program. `given` is its standard input.

    Raises KinetoscopeError if the exit code is not 0. Issues a KinetoscopeWarning for each other line on standard error.
    """
    program = find_program()
    try:
        done = subprocess.run([program, *arguments], input=None if given is None else given.encode("utf-8"),
                              stdin=subprocess.DEVNULL if given is None else None, capture_output=True, check=False)
    except OSError as error:
        raise KinetoscopeError(f"The program cannot be started: {error.strerror}: {program}") from error
    sentences = [line.removeprefix("kinetoscope: ") for line in done.stderr.decode("utf-8", "replace").splitlines() if line]
    if done.returncode != 0:
        raise KinetoscopeError("\n".join(sentences) or f"The program ended with exit code {done.returncode}", done.returncode)
    for sentence in sentences:
        warnings.warn(sentence.removeprefix("warning: "), KinetoscopeWarning, stacklevel=4)
    return done.stdout


def file_arguments(paths: Sequence[pathlib.Path]) -> list[str]:
    """Returns the paths as arguments. They are absolute, so that none is taken for an option."""
    return [os.path.abspath(path) for path in paths]
