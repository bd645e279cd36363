"""The cell magic `%%kinetoscope`, which profiles a cell with torch.profiler and shows the trace."""

from __future__ import annotations

import argparse
import importlib
import pathlib
import shlex
import tempfile
from typing import Any, NoReturn

from .errors import KinetoscopeError
from .recording import open as open_recording
from .view import View


class _Options(argparse.ArgumentParser):
    """Reports errors as exceptions, since an exit would end the kernel."""

    def error(self, message: str) -> NoReturn:
        raise KinetoscopeError(f"%%kinetoscope: {message}. {self.format_usage().strip()}")


def _options() -> _Options:
    parser = _Options(prog="%%kinetoscope", add_help=False)
    parser.add_argument("--no-stack", action="store_true", help="do not record Python stacks")
    parser.add_argument("--no-shapes", action="store_true", help="do not record the shapes of tensors")
    parser.add_argument("--no-memory", action="store_true", help="do not record allocations")
    parser.add_argument("--height", type=int, default=720, help="height of the frame in pixels")
    parser.add_argument("--out", help="name of the trace, which is otherwise in a temporary folder")
    return parser


_folders: list[tempfile.TemporaryDirectory[str]] = []  # removed at the end of the process


def temporary_file() -> pathlib.Path:
    """Returns the name of a trace in a new folder, which is removed at the end of the process."""
    _folders.append(tempfile.TemporaryDirectory(prefix="kinetoscope-"))
    return pathlib.Path(_folders[-1].name) / "cell.pt.trace.json.gz"


def profile_cell(line: str, cell: str, shell: Any) -> View:
    """Runs a cell under torch.profiler, and returns a view of its trace.

    `line` has the options of the magic, and `shell` is IPython's. If the cell fails, the trace ends there. Raises KinetoscopeError
    if an option is wrong, or if PyTorch cannot be imported.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise KinetoscopeError(f"%%kinetoscope: {error}") from error
    options = _options().parse_args(words)
    try:
        profiler: Any = importlib.import_module("torch.profiler")
    except ImportError as error:
        raise KinetoscopeError(f"%%kinetoscope needs PyTorch, which cannot be imported: {error}") from error
    path = pathlib.Path(options.out or temporary_file())
    with profiler.profile(record_shapes=not options.no_shapes, profile_memory=not options.no_memory,
                          with_stack=not options.no_stack) as recorded:
        shell.run_cell(cell)
    recorded.export_chrome_trace(str(path))
    return open_recording(path).view(height=options.height)


def load_ipython_extension(shell: Any) -> None:
    """Registers the magic, for `%load_ext kinetoscope`."""

    def kinetoscope(line: str, cell: str) -> View:
        try:
            return profile_cell(line, cell, shell)
        except KinetoscopeError as error:
            usage: Any = importlib.import_module("IPython.core.error")
            raise usage.UsageError(str(error)) from None  # notebooks show it without a traceback

    shell.register_magic_function(kinetoscope, magic_kind="cell")
