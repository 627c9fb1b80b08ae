"""Works on text in memory, without files or the network."""

import csv
import io
import math
from collections import Counter
from datetime import date


class TableError(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def profile(text: str, delimiter: str = "auto") -> dict:
    """Each column with its type, missing values and a summary of its values."""
    header, rows = read(text, delimiter)
    columns = [column(name, [row[at] for row in rows]) for at, name in enumerate(header)]
    return {"rows": len(rows), "columns": columns}


def totals(text: str, by: str, value: str, delimiter: str = "auto") -> dict:
    """The sum and count of one column for each value of another, largest first."""
    header, rows = read(text, delimiter)
    key, amount = index(header, by), index(header, value)
    sums: dict[str, list[float]] = {}
    skipped = 0
    for row in rows:
        number = to_number(row[amount])
        if number is None:
            skipped += 1
        else:
            sums.setdefault(row[key], []).append(number)
    groups = [
        {"group": group, "count": len(numbers), "sum": tidy(math.fsum(numbers))}
        for group, numbers in sums.items()
    ]
    groups.sort(key=lambda it: (-it["sum"], it["group"]))
    return {"groups": groups, "skipped": skipped}


def read(text: str, delimiter: str) -> tuple[list[str], list[list[str]]]:
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise TableError("empty", "the text has no lines")
    separator = guess(text) if delimiter == "auto" else delimiter
    lines = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
    header = [name.strip() for name in lines[0]]
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        raise TableError("header", f"the column {repeated[0]!r} occurs twice")
    for number, row in enumerate(lines[1:], start=2):
        if len(row) != len(header):
            raise TableError("ragged", f"row {number} has {len(row)} cells, the header {len(header)}")
    return header, lines[1:]


def guess(text: str) -> str:
    first = text.splitlines()[0]
    return max(",;\t|", key=first.count)


def index(header: list[str], name: str) -> int:
    if name not in header:
        raise TableError("column", f"no column named {name!r}; the columns are {', '.join(header)}")
    return header.index(name)


def column(name: str, cells: list[str]) -> dict:
    values = [cell.strip() for cell in cells if cell.strip()]
    kind = type_of(values)
    result = {"name": name, "type": kind, "missing": len(cells) - len(values), "distinct": len(set(values))}
    if kind in ("integer", "number"):
        numbers = [number for number in map(to_number, values) if number is not None]
        result |= {
            "min": tidy(min(numbers)),
            "max": tidy(max(numbers)),
            "mean": tidy(math.fsum(numbers) / len(numbers)),
        }
    elif kind == "date":
        result |= {"min": min(values), "max": max(values)}
    elif values:
        result["common"] = [value for value, _ in Counter(values).most_common(3)]
    return result


def type_of(values: list[str]) -> str:
    if not values:
        return "empty"
    if all(map(is_date, values)):
        return "date"
    numbers = [to_number(value) for value in values]
    if any(number is None for number in numbers):
        return "text"
    return "integer" if all(number.is_integer() for number in numbers) else "number"


def is_date(value: str) -> bool:
    try:
        return len(value) == 10 and bool(date.fromisoformat(value))
    except ValueError:
        return False


def to_number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def tidy(number: float) -> float | int:
    return int(number) if number.is_integer() else round(number, 6)
