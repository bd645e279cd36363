#!/usr/bin/env python3
# Covers: query_command
"""Runs the examples of assets/python/kinetoscope.py on the bundled sample, and checks its errors."""
import argparse
import doctest
import os
import pathlib
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinetoscope", required=True)
    os.environ["KINETOSCOPE"] = parser.parse_args().kinetoscope
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(SOURCE / "assets/python"))
    import kinetoscope
    sample = SOURCE / "assets/sample/sample.pt.trace.json.gz"
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        failed, tried = doctest.testmod(kinetoscope, extraglobs={"SAMPLE": sample})
        assert tried >= 3 and failed == 0, f"{failed} of {tried} examples failed"
        trace = kinetoscope.open(sample)
        try:
            trace.query("ATTACH DATABASE 'x.db' AS x")
            raise AssertionError("what writes must be refused")
        except kinetoscope.QueryError as error:
            assert "refused" in str(error), error
        total = trace.query("SELECT COUNT(*) AS n FROM slice").rows
        assert total == [{"n": total[0]["n"]}] and total[0]["n"] > 0
        assert "<th>n</th>" in trace.query("SELECT 1 AS n")._repr_html_()
    try:
        kinetoscope.open("no such file")
        raise AssertionError("a missing file must be told")
    except FileNotFoundError:
        pass


if __name__ == "__main__":
    main()
