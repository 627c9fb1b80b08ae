# ---
# name: write_report
# version: "1.0.0"
# description: Write rows as a Markdown table into a file of the workspace.
# inputs:
#   - name: path
#     type: string
#     description: The file to write; folders on the way are made.
#   - name: title
#     type: string
#     description: The heading.
#   - name: rows
#     type: array
#     items: {type: object}
#     description: One object for each row.
#     tainted_ok: true
#   - name: overwrite
#     type: boolean
#     description: Whether a file that is there may be replaced.
#     required: false
#     default: false
# outputs:
#   type: object
#   properties:
#     bytes: {type: integer}
#     columns: {type: array, items: {type: string}}
#   required: [bytes, columns]
# capabilities:
#   network: false
#   filesystem: read-write
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
#   packages: []
# ---
import json
import sys
from pathlib import Path


def cell(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("|", "\\|").replace("\n", " ")


def table(columns, rows):
    yield "| " + " | ".join(map(cell, columns)) + " |"
    yield "|" + " --- |" * len(columns)
    for row in rows:
        yield "| " + " | ".join(cell(row.get(name, "")) for name in columns) + " |"


def main(path, title, rows, overwrite=False):
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = "\n".join([f"# {title}", "", *table(columns, rows), ""])
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w" if overwrite else "x", encoding="utf-8") as file:
        file.write(text)
    return {"bytes": len(text.encode("utf-8")), "columns": columns}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
