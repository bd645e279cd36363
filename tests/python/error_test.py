# Covers: no unit
"""Errors and warnings."""
import pytest

import kinetoscope
from kinetoscope import KinetoscopeError, KinetoscopeWarning


def test_missing_files_are_reported_at_once(files):
    for call in (lambda: kinetoscope.open(files / "none"), lambda: kinetoscope.compare(files / "before.json", "none"),
                 kinetoscope.open):
        with pytest.raises(KinetoscopeError):
            call()


def test_errors_have_the_sentence_and_the_exit_code(trace):
    with pytest.raises(KinetoscopeError, match="There is no step 99 in this trace") as caught:
        trace.table("steps", step=99)
    assert caught.value.exit_code == 1
    with pytest.raises(KinetoscopeError, match="no-such-table") as caught:
        trace.table("no-such-table")
    assert caught.value.exit_code == 2


def test_names_cannot_be_options(trace):
    with pytest.raises(KinetoscopeError):
        trace.table("--help")
    with pytest.raises(KinetoscopeError):
        trace.columns("--manual")


def test_a_truncated_file_is_a_warning(files):
    with pytest.warns(KinetoscopeWarning, match="^The file is truncated"):
        assert len(kinetoscope.open(files / "truncated.json.gz").table("operators")) > 0


def test_a_missing_program_is_reported(trace, monkeypatch, tmp_path):
    monkeypatch.setenv("KINETOSCOPE", str(tmp_path / "none"))
    with pytest.raises(KinetoscopeError, match="names no executable"):
        trace.summary()
    monkeypatch.delenv("KINETOSCOPE")
    monkeypatch.setattr("kinetoscope.program.PACKAGED", tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KinetoscopeError, match="was not found"):
        trace.summary()
