# ---
# name: count_lines
# version: "1.0.0"
# description: Count the lines of the files of a folder by their kind.
# inputs:
#   - name: folder
#     type: string
#     description: A folder of the workspace.
#     required: false
#     default: "."
# outputs:
#   type: object
#   properties:
#     files: {type: integer}
#     lines: {type: object}
#   required: [files, lines]
# capabilities:
#   network: false
#   filesystem: read-only
#   human_confirm: false
# runtime:
#   language: python
# ---
import json
import os
import sys
from collections import Counter
from pathlib import Path

PASSED_OVER = {".git", "node_modules", "__pycache__"}


def files_below(folder):
    for place, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(set(folders) - PASSED_OVER)
        yield from (Path(place, name) for name in sorted(names))


def main(folder="."):
    root = Path(folder)
    if not root.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    lines, files = Counter(), 0
    for path in files_below(root):
        with path.open("rb") as file:
            data = file.read()
        if b"\0" in data:
            continue
        files += 1
        lines[path.suffix or path.name] += len(data.splitlines())
    return {"files": files, "lines": dict(sorted(lines.items()))}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
