#!/usr/bin/env python3
"""Draws the output of `kinetoscope_bench --growth ... > growth.csv`: plot_growth.py growth.csv growth.png"""

import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot  # noqa: E402


def main(source, target):
    with open(source, encoding="utf-8") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    figure, (load, frame) = plot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    slices = [row["slices"] / 1e6 for row in rows]
    load.loglog(slices, [row["load s"] for row in rows], "o-", label="load")
    first = rows[0]
    load.loglog(slices, [first["load s"] * count / slices[0] for count in slices], ":", color="gray", label="linear")
    load.set(title="Opening a trace", xlabel="million slices", ylabel="seconds")
    drawn = [row["timeline slices"] / 1e6 for row in rows]
    frame.semilogx(drawn, [row["frame ms median"] for row in rows], "o-", label="median")
    frame.semilogx(drawn, [row["frame ms 99 %"] for row in rows], "o-", label="99 %")
    frame.set(title="A frame of the timeline, at the worst zoom", xlabel="million slices", ylabel="ms of CPU", ylim=(0, None))
    for axes in (load, frame):
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(target, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:3])
