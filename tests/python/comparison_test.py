# Covers: no unit
"""Comparisons of two runs and of two snapshots."""
import pandas
import pytest

import kinetoscope
from kinetoscope import KinetoscopeError


def test_runs_have_changes_by_row_and_by_cause(files):
    comparison = kinetoscope.compare(files / "before.json", files / "after.json")
    summary = comparison.summary()
    assert summary["verdict"] == "slower" and "slower" in comparison.verdict()["sentence"]
    waterfall = comparison.table("waterfall", as_="rows")
    assert waterfall == summary["waterfall"]
    rows = comparison.table("rows")
    assert rows["sum_a"].dtype == pandas.Int64Dtype() and len(rows) == summary["rows_total"]
    assert len(comparison.table("ledger")) > 0
    files_of = comparison.query("SELECT (SELECT SUM(dur) FROM kernel) AS a, (SELECT SUM(dur) FROM kernel WHERE file = 2) AS b")
    assert files_of["b"][0] > files_of["a"][0]


def test_a_condition_that_holds_is_an_error_with_exit_code_2(files):
    comparison = kinetoscope.compare(files / "before.json", files / "after.json")
    with pytest.raises(KinetoscopeError) as caught:
        comparison.summary(fail_if=["step>+2%"])
    assert caught.value.exit_code == 2


def test_snapshots_have_the_difference_of_their_live_memory(files):
    comparison = kinetoscope.compare(files / "before.pickle", files / "snapshot.pickle")
    assert list(comparison.tables()) == ["compare"]
    table = comparison.table("compare", group="line")
    assert table["difference_bytes"].dtype == pandas.Int64Dtype()
    with pytest.raises(KinetoscopeError, match="no table rows"):
        comparison.table("rows")
