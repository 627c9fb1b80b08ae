# ---
# name: replace_in_files
# version: "1.0.0"
# description: Replace a text by another in all files below a folder that match a pattern, and list what changed.
# inputs:
#   - name: folder
#     type: string
#     description: The folder to begin in.
#   - name: find
#     type: string
#     description: The text to look for, taken literally.
#   - name: replacement
#     type: string
#     description: What to put in its place.
#   - name: pattern
#     type: string
#     description: Which files, such as *.md or src/*.ts; "**" crosses folders.
#     required: false
#     default: "**/*"
#   - name: dry_run
#     type: boolean
#     description: Only count what would change.
#     required: false
#     default: false
# outputs:
#   type: object
#   properties:
#     changed: {type: array, items: {type: object}}
#     replacements: {type: integer}
#     skipped: {type: array, items: {type: string}}
#     dry_run: {type: boolean}
#   required: [changed, replacements, skipped, dry_run]
# capabilities:
#   network: false
#   filesystem: read-write
#   human_confirm: true
# runtime:
#   language: python
#   python_version: "3.11"
#   packages: []
# ---
"""Each file is written beside itself and then moved into place, so that none is ever half written."""

import json
import os
import sys
import tempfile
from pathlib import Path

MAX_BYTES = 4 * 1024 * 1024
MAX_FILES = 10_000
LEFT_ALONE = frozenset({".git", "node_modules", "__pycache__", ".venv"})


def candidates(root, pattern):
    found = []
    for path in sorted(root.glob(pattern)):
        if LEFT_ALONE.intersection(path.relative_to(root).parts):
            continue
        if path.is_symlink() or not path.is_file():
            continue
        found.append(path)
        if len(found) > MAX_FILES:
            raise ValueError(f"the pattern matches more than {MAX_FILES} files; narrow it")
    return found


def write(path, text):
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(temporary, path.stat().st_mode & 0o777)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def main(folder, find, replacement, pattern="**/*", dry_run=False):
    if find == "":
        raise ValueError("the text to look for is empty")
    if ".." in Path(pattern).parts or Path(pattern).is_absolute():
        raise ValueError("the pattern must stay below the folder")
    root = Path(folder)
    if not root.is_dir():
        raise ValueError(f"{folder} is not a folder")
    changed, skipped = [], []
    for path in candidates(root, pattern):
        name = path.relative_to(root).as_posix()
        if path.stat().st_size > MAX_BYTES:
            skipped.append(name)
            continue
        try:
            with open(path, encoding="utf-8", newline="") as file:
                text = file.read()
        except UnicodeDecodeError:
            skipped.append(name)
            continue
        count = text.count(find)
        if count == 0:
            continue
        if not dry_run:
            write(path, text.replace(find, replacement))
        changed.append({"file": name, "replacements": count})
    return {
        "changed": changed,
        "replacements": sum(entry["replacements"] for entry in changed),
        "skipped": skipped,
        "dry_run": dry_run,
    }


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
