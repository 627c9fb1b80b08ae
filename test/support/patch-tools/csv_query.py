# ---
# name: csv_query
# version: "0.4.0"
# description: Ask a CSV text a question in SQL; the table is called "data".
# inputs:
#   - name: text
#     type: string
#     description: The CSV, with a header line.
#     tainted_ok: true
#   - name: sql
#     type: string
#     description: A SELECT.
#   - name: limit
#     type: integer
#     description: Rows to give at most.
#     required: false
#     default: 100
# outputs:
#   type: object
#   properties:
#     columns: {type: array, items: {type: string}}
#     rows: {type: array, items: {type: array}}
#     complete: {type: boolean}
#   required: [columns, rows, complete]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.11"
# ---
"""An SQLite database in memory that can only be read once it is filled."""

import contextlib
import csv
import io
import json
import sqlite3
import sys


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def number(text):
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def fill(database, text):
    rows = csv.reader(io.StringIO(text))
    header = next(rows, None)
    if not header:
        raise ValueError("the CSV has no header line")
    database.execute(f"create table data ({', '.join(map(quoted, header))})")
    places = ", ".join("?" * len(header))
    padded = ((row + [""] * len(header))[: len(header)] for row in rows if row)
    database.executemany(f"insert into data values ({places})", ([number(it) for it in row] for row in padded))


def main(text, sql, limit=100):
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        fill(database, text)
        database.execute("pragma query_only = on")
        cursor = database.execute(sql)
        rows = cursor.fetchmany(limit + 1)
        columns = [it[0] for it in cursor.description or []]
    return {"columns": columns, "rows": [list(row) for row in rows[:limit]], "complete": len(rows) <= limit}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
