# ---
# name: duplicate_files
# version: "1.0.0"
# description: Find files of a folder that have the same content.
# inputs:
#   - name: folder
#     type: string
#     description: Where to look.
#   - name: smallest
#     type: integer
#     description: Files with fewer bytes do not count.
#     required: false
#     default: 1
# outputs:
#   type: array
#   items: {type: array, items: {type: string}}
# capabilities:
#   filesystem: read-only
#   network: false
# runtime:
#   language: python
#   python_version: "3.12"
# ---
import hashlib
import json
import sys
from itertools import groupby
from pathlib import Path


def digest(path):
    hasher = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as file:
        while chunk := file.read(1 << 16):
            hasher.update(chunk)
    return hasher.hexdigest()


def groups(items, key):
    for _, members in groupby(sorted(items, key=key), key=key):
        found = list(members)
        if len(found) > 1:
            yield found


def main(folder, smallest=1):
    root = Path(folder)
    files = [it for it in root.rglob("*") if it.is_file() and not it.is_symlink() and it.stat().st_size >= smallest]
    # Only files of one size can be the same, so most are never read.
    same = [
        sorted(it.relative_to(root).as_posix() for it in alike)
        for sized in groups(files, key=lambda it: it.stat().st_size)
        for alike in groups(sized, key=digest)
    ]
    return sorted(same)


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
