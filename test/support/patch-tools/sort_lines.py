# ---
# name: sort_lines
# version: "1.0.0"
# description: Sort the lines of a file in place, as people sort - numbers by size, letters without case.
# inputs:
#   - name: path
#     type: string
#     description: A file of the workspace.
#   - name: unique
#     type: boolean
#     description: Keep one of lines that are the same.
#     required: false
#     default: false
#   - name: reverse
#     type: boolean
#     description: Largest first.
#     required: false
#     default: false
# outputs:
#   type: object
#   properties:
#     lines: {type: integer}
#     removed: {type: integer}
#     changed: {type: boolean}
#   required: [lines, removed, changed]
# capabilities:
#   network: false
#   filesystem: read-write
#   human_confirm: false
# runtime:
#   language: python
# ---
import json
import os
import re
import sys


def natural(line):
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part.casefold()) for part in re.split(r"(\d+)", line) if part]


def main(path, unique=False, reverse=False):
    with open(path, encoding="utf-8") as file:
        before = file.read().splitlines()
    lines = list(dict.fromkeys(before)) if unique else list(before)
    lines.sort(key=natural, reverse=reverse)
    if lines != before:
        beside = f"{path}.new"
        with open(beside, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        os.replace(beside, path)
    return {"lines": len(lines), "removed": len(before) - len(lines), "changed": lines != before}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
