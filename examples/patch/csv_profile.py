# ---
# name: csv_profile
# version: "1.0.0"
# description: Describe the columns of a CSV file - type, gaps, distinct values, range and most frequent values.
# inputs:
#   - name: path
#     type: string
#     description: Path of the CSV file in the workspace.
#   - name: delimiter
#     type: string
#     description: The character between fields; found out from the file when left empty.
#     required: false
#     default: ""
#   - name: max_rows
#     type: integer
#     description: How many rows to read at most.
#     required: false
#     default: 100000
#   - name: top
#     type: integer
#     description: How many of the most frequent values to list for each column.
#     required: false
#     default: 5
# outputs:
#   type: object
#   description: Number of rows, whether all were read, and one entry for each column.
#   properties:
#     rows: {type: integer}
#     complete: {type: boolean}
#     delimiter: {type: string}
#     columns: {type: array, items: {type: object}}
#   required: [rows, complete, delimiter, columns]
# capabilities:
#   network: false
#   filesystem: read-only
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.11"
#   packages: []
# ---
"""Profiles a CSV file in one pass, with memory bounded by the number of distinct values it counts."""

import csv
import json
import sys
from collections import Counter
from datetime import date

MAX_DISTINCT = 50_000
EMPTY = frozenset({"", "na", "n/a", "null", "none", "-"})


class Column:
    def __init__(self, name):
        self.name = name
        self.missing = 0
        self.kinds = Counter()
        self.values = Counter()
        self.overflow = False
        self.low = None
        self.high = None
        self.total = 0.0
        self.numbers = 0

    def add(self, raw):
        text = raw.strip()
        if text.lower() in EMPTY:
            self.missing += 1
            return
        kind, value = classify(text)
        self.kinds[kind] += 1
        if text in self.values or len(self.values) < MAX_DISTINCT:
            self.values[text] += 1
        else:
            self.overflow = True
        if kind in ("integer", "number"):
            self.numbers += 1
            self.total += value
            self.low = value if self.low is None else min(self.low, value)
            self.high = value if self.high is None else max(self.high, value)

    def describe(self, top):
        found = {
            "name": self.name,
            "type": self.kind(),
            "missing": self.missing,
            "distinct": len(self.values),
            "distinct_is_lower_bound": self.overflow,
            "top": [{"value": value, "count": count} for value, count in self.values.most_common(top)],
        }
        if self.kind() in ("integer", "number"):
            found["min"] = self.low
            found["max"] = self.high
            found["mean"] = round(self.total / self.numbers, 6)
        return found

    def kind(self):
        kinds = set(self.kinds)
        if not kinds:
            return "empty"
        if kinds <= {"integer", "number"}:
            return "number" if "number" in kinds else "integer"
        return kinds.pop() if len(kinds) == 1 else "text"


def classify(text):
    if text.lower() in ("true", "false", "yes", "no"):
        return "boolean", text
    try:
        return "integer", int(text)
    except ValueError:
        pass
    try:
        number = float(text)
        if number == number and number not in (float("inf"), float("-inf")):
            return "number", number
    except ValueError:
        pass
    try:
        date.fromisoformat(text[:10])
        return "date", text
    except ValueError:
        return "text", text


def guess_delimiter(sample):
    try:
        return csv.Sniffer().sniff(sample, delimiters=",;\t|").delimiter
    except csv.Error:
        return ","


def main(path, delimiter="", max_rows=100000, top=5):
    with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
        chosen = delimiter or guess_delimiter(file.read(64 * 1024))
        file.seek(0)
        reader = csv.reader(file, delimiter=chosen)
        header = next(reader, [])
        columns = [Column(name.strip() or f"column {index + 1}") for index, name in enumerate(header)]
        rows = 0
        complete = True
        for row in reader:
            if rows >= max_rows:
                complete = False
                break
            rows += 1
            for index, column in enumerate(columns):
                column.add(row[index] if index < len(row) else "")
    return {
        "rows": rows,
        "complete": complete,
        "delimiter": chosen,
        "columns": [column.describe(top) for column in columns],
    }


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
