# ---
# name: regex_test
# version: "1.0.0"
# description: Whether a whole text matches a regular expression.
# inputs:
#   - name: text
#     type: string
#     description: The text that must match from its first to its last character.
#     tainted_ok: true
#   - name: pattern
#     type: string
#     description: A regular expression of Python.
#   - name: anywhere
#     type: boolean
#     description: A match of a part is enough.
#     required: false
# outputs:
#   type: boolean
# capabilities:
#   network: false
#   filesystem: none
# runtime:
#   language: python
#   python_version: "3"
# ---
from __future__ import annotations

import json
import re
import sys


def main(text: str, pattern: str, anywhere: bool | None = None) -> bool:
    """An optional input without a default: main() supplies one."""
    look = re.search if anywhere else re.fullmatch
    return look(pattern, text) is not None


def run() -> int:
    arguments = json.load(sys.stdin)
    json.dump(main(**arguments), sys.stdout)
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(run())
