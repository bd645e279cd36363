"""Traces of the PyTorch profiler, memory snapshots and distributed jobs as data frames and in notebooks.

    import kinetoscope

    trace = kinetoscope.open("trace.json.gz")
    trace.summary()["steps"]
    trace.table("kernels", step=3)
    trace.query("SELECT name, SUM(dur) AS ns FROM kernel GROUP BY name ORDER BY ns DESC")
    trace    # as the last line of a cell: the window

All times are integers in nanoseconds, and all sizes are integers in bytes. The program `kinetoscope` computes the results. This
package starts it, and keeps nothing in memory between calls. Opened files remain in the cache of the program.
"""

from importlib import metadata as _metadata

from .comparison import Comparison, compare
from .errors import KinetoscopeError, KinetoscopeWarning
from .magic import load_ipython_extension
from .recording import Recording
from .recording import open as open  # noqa: A004, the name that users expect
from .view import View, view

try:
    __version__ = _metadata.version("kinetoscope")
except _metadata.PackageNotFoundError:  # imported from the source
    __version__ = "0"

# Without open(), so that `from kinetoscope import *` keeps the built-in function.
__all__ = ["Comparison", "KinetoscopeError", "KinetoscopeWarning", "Recording", "View", "compare", "load_ipython_extension", "view"]
