# Covers: no unit
"""Numbers of independent implementations, on real files."""
import json

import kinetoscope


def same(value, expected):
    if isinstance(value, float) or isinstance(expected, float):
        return abs(value - expected) <= 1e-9 * max(abs(value), abs(expected))
    return value == expected


def test_queries_give_the_golden_rows(real):
    goldens = json.loads(real("golden/query/open/hta__rank0.json").read_text())["queries"]
    trace = kinetoscope.open(real("kineto/hta/rank0.json.gz"))
    for name in ("01", "02", "05", "10"):
        expected = goldens[name]
        rows = trace.query(real(f"golden/query/queries/{name}.sql").read_text(), as_="rows")
        assert len(rows) == expected["row_count"]
        for row, wanted in zip(rows, expected["rows"]):
            assert list(row) == expected["columns"]
            assert all(map(same, row.values(), wanted)), (name, row, wanted)


def test_steps_have_the_golden_lengths(real):
    golden = json.loads(real("golden/ref/ns_resolution/tb_like.json").read_text())
    file = json.loads(real("golden/index.json").read_text())["ns_resolution"]["files"]["0"]
    steps = kinetoscope.open(real(file)).table("steps")
    assert list(steps["name"]) == golden["steps_names"]
    total = golden["roles"].index("Total")
    assert list(steps["tensorboard_ns"]) == [costs[total] for costs in golden["steps_costs_ns"]]


def test_snapshots_have_the_golden_peaks(real):
    goldens = json.loads(real("golden/snapshots.json").read_text())
    single = [name for name in sorted(goldens, key=lambda name: goldens[name]["bytes"]) if len(goldens[name]["devices"]) == 1]
    for name in single[:3]:
        golden = goldens[name]["devices"][0]
        snapshot = kinetoscope.open(real(name))
        assert snapshot.summary()["devices"][0]["peak_bytes"] == golden["peak_bytes"], name
        live = snapshot.table("live", group="allocation", sort="bytes:desc")
        assert len(live) == golden["live_at_peak"], name
        assert list(live["bytes"][:10]) == [block["size"] for block in golden["top10_at_peak"]], name
