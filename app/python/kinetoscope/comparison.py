"""The comparison of two recordings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Optional

from .errors import KinetoscopeError
from .frames import chosen_form, frame_of
from .program import file_arguments, run_program
from .queries import query_frame
from .recording import Path, Recording, existing
from .tables import option_arguments, table_frame
from .view import View, view


class Comparison:
    """Two runs: traces, folders of runs, jobs or snapshots. Each call runs the program, and raises KinetoscopeError if it fails."""

    def __init__(self, a: Recording, b: Recording) -> None:
        self.a, self.b = a, b

    def _files(self) -> list[str]:
        return file_arguments([*self.a.paths, *self.b.paths])

    def summary(self, *, by: Optional[str] = None, ledger: bool = False, layers: bool = False, force: bool = False,
                drop_last: bool = False, steps_a: Optional[str] = None, steps_b: Optional[str] = None,
                rank: Optional[int] = None, fail_if: Sequence[str] = ()) -> dict[str, Any]:
        """Returns the document of `kinetoscope diff --format json`: what changed by more than noise, and where the time went.

        If runs are not comparable, or if a condition of `fail_if` holds, KinetoscopeError is raised with the exit code of the
        program: 3 or 2. `kinetoscope diff --help` describes the options.
        """
        options = option_arguments({"by": by, "ledger": ledger, "layers": layers, "force": force, "drop-last": drop_last,
                                    "steps-a": steps_a, "steps-b": steps_b, "rank": rank})
        conditions = [f"--fail-if={condition}" for condition in fail_if]
        document: dict[str, Any] = json.loads(run_program(["diff", *self._files(), *options, *conditions, "--format=json"]))
        return document

    def verdict(self) -> dict[str, Any]:
        """Returns the document of `kinetoscope verdict --json`: the sentence on the change, and its evidence."""
        document: dict[str, Any] = json.loads(run_program(["verdict", *self._files(), "--json"]))
        return document

    def tables(self) -> dict[str, str]:
        """Returns the names of the tables, each with a sentence on its content."""
        if self.a.kind == "snapshot":
            return {"compare": "Live memory at a moment in both snapshots"}
        return {"rows": "Changes of kernels, or of another grouping (by)", "waterfall": "Change of the step by cause",
                "ledger": "Change of the rows of the step ledger"}

    def table(self, name: str, *, as_: Optional[str] = None, by: Optional[str] = None, at: Optional[str] = None,
              group: Optional[str] = None, force: bool = False) -> Any:
        """Returns a table of tables(). `by` and `force` are for runs; `at` and `group` are for snapshots. `as_` is as for
        Recording.table()."""
        form = chosen_form(as_)
        if name not in self.tables():
            raise KinetoscopeError(f"This comparison has no table {name}, only {', '.join(self.tables())}")
        if name == "compare":
            return table_frame(name, self._files(), {"at": at, "group": group}, form)
        rows = self.summary(by=by, ledger=name == "ledger", force=force)[name]
        names = list(dict.fromkeys(key for row in rows for key in row))
        return frame_of([{key: row.get(key) for key in names} for row in rows], names, form)

    def query(self, sql: str, *, as_: Optional[str] = None, timeout: float = 60, memory_mib: int = 1024) -> Any:
        """Returns the result of SQL on both files. `file = 2` selects the rows of the second one."""
        return query_frame(sql, self._files(), chosen_form(as_), timeout=timeout, memory_mib=memory_mib)

    def view(self, *, height: int = 720, proxy: Optional[bool] = None, host: Optional[str] = None) -> View:
        """Shows the window with both recordings in tabs. See kinetoscope.view()."""
        return view(*self.a.paths, *self.b.paths, height=height, proxy=proxy, host=host)

    def _repr_html_(self) -> str:
        return self.view()._repr_html_()

    def __repr__(self) -> str:
        return f"kinetoscope.compare({str(self.a.paths[0])!r}, {str(self.b.paths[0])!r})"


def compare(a: Path, b: Path) -> Comparison:
    """Compares run B with run A. Each is a trace, a snapshot, or a folder of runs or ranks. Raises KinetoscopeError if one does
    not exist."""
    return Comparison(Recording([existing(a)]), Recording([existing(b)]))
