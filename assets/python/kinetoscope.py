"""Queries traces with Kinetoscope. Requires only the standard library, and uses polars or pandas if installed.

The kernels with the most time, in SQL:

>>> trace = open(SAMPLE)
>>> rows = trace.query("SELECT name, SUM(dur) AS ns FROM kernel GROUP BY name ORDER BY ns DESC LIMIT 3").rows
>>> [sorted(row) for row in rows] == [["name", "ns"]] * 3
True

A table of the program, as printed by `kinetoscope table steps FILE`:

>>> steps = trace.table("steps").rows
>>> len(steps) > 0 and all(step["total_ns"] > 0 for step in steps)
True

The mean launch delay of each call, in microseconds:

>>> delays = trace.query('''
...     SELECT l.name AS call, COUNT(*) AS n, AVG(MAX(k.launch_delay, 0)) / 1e3 AS us
...     FROM kernel AS k JOIN slice AS l ON l.id = k.launch_id GROUP BY call''').rows
>>> all(delay["n"] > 0 and delay["us"] >= 0 for delay in delays)
True

`query(..).frame()` returns a polars or pandas data frame. In a notebook, the last line `trace` shows a picture of the
trace. The program is searched in the PATH; the environment variable KINETOSCOPE overrides it.
"""

import json
import os
import pathlib
import subprocess
import tempfile


class QueryError(RuntimeError):
    """The error message of the program, one sentence."""


def _run(*arguments):
    program = os.environ.get("KINETOSCOPE", "kinetoscope")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, check=False)
    if done.returncode != 0:
        sentence = done.stderr.decode("utf-8", "replace").strip().removeprefix("kinetoscope: ")
        raise QueryError(sentence or f"{program} ended with code {done.returncode}")
    return done.stdout.decode("utf-8", "replace")


class Result:
    """Rows of a query. Each row is a dict with the columns as keys."""

    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def frame(self):
        """Returns a polars data frame, or a pandas data frame if polars is not installed."""
        try:
            import polars
        except ImportError:
            import pandas
            return pandas.DataFrame(self.rows)
        return polars.DataFrame(self.rows, infer_schema_length=None)

    def _repr_html_(self):
        from html import escape
        names = list(self.rows[0]) if self.rows else []
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{escape(str(row[name]))}</td>" for name in names) + "</tr>"
                       for row in self.rows[:1000])
        return f"<table><tr>{head}</tr>{body}</table>"


class Trace:
    """One file, or the ranks of a job. Each call runs the program; only its cache remains between calls."""

    def __init__(self, *paths):
        self.paths = [pathlib.Path(path) for path in paths]

    def query(self, sql, *, timeout=60, memory=1024):
        """Returns the result of the last statement of `sql`. `timeout` is in seconds. Raises QueryError."""
        text = _run("query", *self.paths, sql, "--format", "jsonl", "--limit", 0, "--timeout", timeout,
                    "--memory", memory)
        return Result([json.loads(line) for line in text.split("\n") if line])

    def table(self, name):
        """Returns a table by its name on the command line: kernels, steps, key-averages, ..."""
        return self.query(f'SELECT * FROM "table_{name.replace("-", "_")}"')

    def picture(self, begin_ns=None, end_ns=None, size="1600x900"):
        """Returns the PNG bytes of the first file's timeline, or of a time range (ns since its begin)."""
        time_range = [] if begin_ns is None else ["--from", begin_ns, "--to", end_ns]
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "picture.png"
            _run("screenshot", self.paths[0], out, "--size", size, *time_range)
            return out.read_bytes()

    def _repr_png_(self):
        return self.picture()


def open(*paths):  # noqa: A001, the name that users expect
    """Opens a trace, or several files as one. In SQL, `file = 2` selects the second file."""
    missing = [str(path) for path in paths if not pathlib.Path(path).exists()]
    if missing or not paths:
        raise FileNotFoundError(", ".join(missing) or "no file is named")
    return Trace(*paths)
