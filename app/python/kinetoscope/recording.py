"""A recording: a trace, a snapshot, the folder of a job, several snapshots, or the dumps of a job that hangs."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from .errors import KinetoscopeError
from .frames import Row, chosen_form
from .program import file_arguments, run_program
from .queries import query_frame
from .tables import column_meanings, table_frame, table_names
from .view import View, view

Path = Union[str, "os.PathLike[str]"]
Range = Union[str, tuple[int, int]]


class Recording:
    """One file, or the files of one job. Each call runs the program, and raises KinetoscopeError if it fails.

    In a notebook, a recording as the last line of a cell shows the window.
    """

    def __init__(self, paths: Sequence[pathlib.Path]) -> None:
        self.paths = list(paths)
        self._kind: Optional[str] = None

    @property
    def kind(self) -> str:
        """One of trace, snapshot, job, snapshots and hang."""
        if self._kind is None:
            self._kind = str(self.summary()["kind"])
        return self._kind

    def summary(self) -> dict[str, Any]:
        """Returns the document of `kinetoscope info --json`: key figures of the recording, and what to fix first."""
        document: dict[str, Any] = json.loads(run_program(["info", *file_arguments(self.paths), "--json"]))
        return document

    def verdict(self) -> dict[str, Any]:
        """Returns the document of `kinetoscope verdict --json`: the sentence on the largest problem, and its evidence."""
        document: dict[str, Any] = json.loads(run_program(["verdict", *file_arguments(self.paths), "--json"]))
        return document

    def tables(self) -> dict[str, str]:
        """Returns the names of the tables of this kind of recording, each with a sentence on its content."""
        return table_names(self.kind)

    def columns(self, name: str) -> list[Row]:
        """Returns the columns of a table: `key`, `title`, `unit`, `group` and `definition`."""
        return column_meanings(name)

    def table(self, name: str, *, as_: Optional[str] = None, step: Optional[int] = None, range: Optional[Range] = None,
              group: Optional[str] = None, sort: Union[None, str, Sequence[str]] = None, limit: int = 0,
              at: Union[None, str, int] = None, since: Union[None, str, int] = None, device: Optional[int] = None,
              find: Optional[str] = None, stream: Optional[int] = None, set: Optional[Mapping[str, Any]] = None,
              force: bool = False, batch: Optional[Sequence[int]] = None, job: Optional[int] = None) -> Any:
        """Returns a table, as `kinetoscope table NAME` prints it, with all rows.

        `as_` is "pandas", "polars", "arrow" or "rows" (a list of dicts); by default, it is the library that is imported or
        installed. `range` is a text such as "10ms..1.5s", or a pair of nanoseconds since the start of the trace. `set` is a
        mapping, such as {"loader": 0}. `kinetoscope table --help` describes the other options.
        """
        if isinstance(range, tuple):
            range = f"{range[0]}ns..{range[1]}ns"
        options = {"step": step, "range": range, "group": group, "sort": sort, "limit": limit, "at": at, "since": since,
                   "device": device, "find": find, "stream": stream, "set": set, "force": force, "batch": batch, "job": job}
        return table_frame(name, file_arguments(self.paths), options, chosen_form(as_))

    def query(self, sql: str, *, as_: Optional[str] = None, timeout: float = 60, memory_mib: int = 1024) -> Any:
        """Returns the result of the last SQL statement, with all rows. `as_` is as for table(). `timeout` is in seconds.

        If several files are opened, a table contains the rows of the first one, unless the query uses `rank` or `file`.
        """
        return query_frame(sql, file_arguments(self.paths), chosen_form(as_), timeout=timeout, memory_mib=memory_mib)

    def picture(self, *, range: Optional[tuple[int, int]] = None, size: str = "1600x900") -> bytes:
        """Returns a PNG picture of the window with the first file. `range` is in nanoseconds since the start of the trace."""
        limits = [] if range is None else [f"--from={range[0]}", f"--to={range[1]}"]
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "picture.png")
            run_program(["screenshot", *file_arguments(self.paths[:1]), out, f"--size={size}", *limits])
            return pathlib.Path(out).read_bytes()

    def view(self, *, height: int = 720, proxy: Optional[bool] = None, host: Optional[str] = None) -> View:
        """Shows the window in a notebook. See kinetoscope.view()."""
        return view(*self.paths, height=height, proxy=proxy, host=host)

    def _repr_html_(self) -> str:
        return self.view()._repr_html_()

    def __repr__(self) -> str:
        return f"kinetoscope.open({', '.join(repr(str(path)) for path in self.paths)})"


def open(*paths: Path) -> Recording:  # noqa: A001, the name that users expect
    """Opens a trace, a snapshot, the folder of a job, or several files as the ranks of one job.

    Raises KinetoscopeError if a file does not exist. Nothing is read before the first call that needs the content. A file in an
    archive is ARCHIVE#NAME.
    """
    if not paths:
        raise KinetoscopeError("open() needs a file or a folder")
    return Recording([existing(path) for path in paths])


def existing(path: Path) -> pathlib.Path:
    """Returns the path with `~` expanded. Raises KinetoscopeError if it does not exist."""
    expanded = pathlib.Path(path).expanduser()
    if not expanded.exists() and not pathlib.Path(str(expanded).partition("#")[0]).is_file():
        raise KinetoscopeError(f"There is no such file: {expanded}")
    return expanded
