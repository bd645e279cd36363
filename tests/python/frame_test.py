# Covers: no unit
"""Types of columns, by the values of their rows."""
import pandas
import pytest

from kinetoscope import KinetoscopeError, frames


def column(*values):
    return frames.frame_of([{"x": value} for value in values], ["x"], "pandas")["x"]


def test_integers_keep_every_digit():
    assert list(column(9_007_199_254_740_993, None, -(1 << 63))) == [9_007_199_254_740_993, pandas.NA, -(1 << 63)]
    assert column((1 << 64) - 1).dtype == pandas.UInt64Dtype() and column((1 << 64) - 1)[0] == (1 << 64) - 1
    assert column(1 << 64)[0] == str(1 << 64)


def test_mixed_numbers_are_floats_and_mixed_texts_are_text():
    assert list(column(1, 2.5)) == [1.0, 2.5] and column(1, 2.5).dtype == pandas.Float64Dtype()
    assert list(column(1, "a", None)) == ["1", "a", pandas.NA]
    assert column(None).dtype == pandas.StringDtype()


def test_unknown_and_missing_libraries_are_reported(monkeypatch):
    with pytest.raises(KinetoscopeError, match="pandas, polars, arrow, rows"):
        frames.chosen_form("numpy")
    monkeypatch.setattr(frames.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(KinetoscopeError, match="polars is not installed"):
        frames.chosen_form("polars")
    with pytest.raises(KinetoscopeError, match="None of pandas"):
        frames.chosen_form(None)
    assert frames.chosen_form("rows") == "rows"
