#!/usr/bin/env python3
"""Makes a large Nsight Systems export from a real one, to measure how fast it opens.

usage: grow_nsys.py IN.sqlite OUT.sqlite EVENTS

Repeats the rows of all tables with a column `start`, shifted in time and with new correlation ids, until there are about
EVENTS rows.
"""
import shutil
import sqlite3
import sys


def main(source, out, wanted):
    shutil.copyfile(source, out)
    db = sqlite3.connect(out)
    db.execute("pragma journal_mode = off")
    db.execute("pragma synchronous = off")
    tables = {}
    for (name,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
        columns = [row[1] for row in db.execute(f'pragma table_info("{name}")')]
        if "start" in columns:
            tables[name] = columns
    count = {name: db.execute(f'select count(*) from "{name}"').fetchone()[0] for name in tables}
    events = sum(count.values())

    def over_all(function, column):
        found = [db.execute(f'select {function}("{column}") from "{name}"').fetchone()[0]
                 for name, columns in tables.items() if column in columns]
        return [value for value in found if value is not None]

    span = max(over_all("max", "end") + over_all("max", "start")) - min(over_all("min", "start")) + 1_000_000
    ids = max(over_all("max", "correlationId") + [0]) + 1
    moved = {"start": span, "end": span, "correlationId": ids}
    for copy in range(1, max(1, -(-wanted // events))):
        for name, columns in tables.items():
            kept = [column for column in columns if column.lower() not in ("id", "rowid")]
            values = ", ".join(f'"{column}" + {moved[column] * copy}' if column in moved else f'"{column}"' for column in kept)
            names = ", ".join(f'"{column}"' for column in kept)
            db.execute(f'insert into "{name}" ({names}) select {values} from "{name}" limit {count[name]}')
    db.commit()
    print(f"{sum(db.execute(f'select count(*) from {chr(34)}{name}{chr(34)}').fetchone()[0] for name in tables):,} events")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
