# Covers: query_command
"""SQL."""
import pandas
import pytest

import kinetoscope
from kinetoscope import KinetoscopeError


def test_results_equal_the_tables(trace):
    result = trace.query('SELECT * FROM "table_kernels"', as_="rows")
    for row in result:
        del row["slice_id"]
    assert result == trace.table("kernels", as_="rows")


def test_every_kind_of_value_arrives(trace):
    row = trace.query("-- a comment\nSELECT 9007199254740993 AS a, 0.1 + 0.2 AS b, NULL AS c, 'ä\n\"' AS d, 2.0 AS e", as_="rows")
    assert row == [{"a": 9_007_199_254_740_993, "b": 0.1 + 0.2, "c": None, "d": 'ä\n"', "e": 2.0}]
    frame = trace.query("SELECT 9007199254740993 AS a, 2.0 AS e")
    assert frame["a"][0] == 9_007_199_254_740_993 and frame["e"].dtype == pandas.Float64Dtype()


def test_a_result_without_rows_has_its_columns(trace):
    assert list(trace.query("SELECT id, name FROM slice WHERE 0").columns) == ["id", "name"]


def test_a_job_is_queried_by_rank(files):
    ranks = kinetoscope.open(files / "job").query("SELECT rank, COUNT(*) AS n FROM slice GROUP BY rank")
    assert list(ranks["rank"]) == [0, 1, 2, 3] and ranks["n"].min() > 0


def test_snapshots_are_queried(files):
    snapshot = kinetoscope.open(files / "snapshot.pickle")
    count = snapshot.query("SELECT COUNT(*) AS n FROM allocation")["n"][0]
    assert count == len(snapshot.table("allocations"))


def test_errors_are_the_sentences_of_the_program(trace):
    for sql, words in (("SELEC 1", "syntax error"), ("ATTACH DATABASE 'x.db' AS x", "refused"),
                       ("SELECT 1 AS a, 2 AS a", "2 columns have the name a")):
        with pytest.raises(KinetoscopeError, match=words):
            trace.query(sql, as_="rows")
    with pytest.raises(KinetoscopeError) as caught:
        trace.query("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n", timeout=0.1)
    assert caught.value.exit_code == 1


@pytest.mark.parametrize("form, module", [("polars", "polars"), ("arrow", "pyarrow")])
def test_other_libraries_get_the_same_rows(trace, form, module):
    pytest.importorskip(module)
    sql = "SELECT id, ts, dur, name, dur / 3.0 AS third FROM slice LIMIT 100"
    frame = trace.query(sql, as_=form)
    assert (frame.to_dicts() if form == "polars" else frame.to_pylist()) == trace.query(sql, as_="rows")
