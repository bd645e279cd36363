# Covers: no unit
"""The cell magic, with a stand-in for torch.profiler that writes the sample."""
import shutil
import sys
import types

import pytest

from kinetoscope import KinetoscopeError, magic


class Shell:
    """A stand-in for IPython's shell."""

    def __init__(self):
        self.cells = []

    def run_cell(self, cell):
        self.cells.append(cell)


@pytest.fixture
def torch(monkeypatch, files):
    """A stand-in for PyTorch. Returns the settings of the profiler."""
    settings = {}

    class Profile:
        def __init__(self, **given):
            settings.update(given)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def export_chrome_trace(self, path):
            shutil.copy(files / "trace.json.gz", path)

    profiler = types.ModuleType("torch.profiler")
    profiler.profile = Profile
    package = types.ModuleType("torch")
    package.profiler = profiler
    monkeypatch.setitem(sys.modules, "torch", package)
    monkeypatch.setitem(sys.modules, "torch.profiler", profiler)
    return settings


def test_profiles_a_cell_and_shows_it(torch, tmp_path):
    shell = Shell()
    view = magic.profile_cell(f"--no-stack --height 400 --out {tmp_path / 'cell.json.gz'}", "x = 1", shell)
    assert shell.cells == ["x = 1"] and (tmp_path / "cell.json.gz").exists()
    assert torch == {"record_shapes": True, "profile_memory": True, "with_stack": False}
    assert view.height == 400 and "<iframe" in view._repr_html_()
    view.stop()


def test_without_pytorch_it_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "torch.profiler", None)
    with pytest.raises(KinetoscopeError, match="needs PyTorch"):
        magic.profile_cell("", "x = 1", Shell())


@pytest.mark.parametrize("line", ["--no-such-option", "--height tall", "'"])
def test_wrong_options_are_a_sentence(torch, line):
    with pytest.raises(KinetoscopeError, match="^%%kinetoscope"):
        magic.profile_cell(line, "x = 1", Shell())


def test_ipython_runs_the_magic(torch):
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell.instance()
    shell.run_line_magic("load_ext", "kinetoscope")
    view = shell.run_cell_magic("kinetoscope", "", "y = 6 * 7")
    assert shell.user_ns["y"] == 42 and view._repr_html_()
    view.stop()
    result = shell.run_cell("%%kinetoscope --no-such-option\ny = 0\n", silent=True)
    assert "unrecognized" in str(result.error_in_exec) and shell.user_ns["y"] == 42
