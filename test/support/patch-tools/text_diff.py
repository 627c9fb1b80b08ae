# ---
# name: text_diff
# version: "1.0.3"
# description: Compare two texts line by line and give a unified diff with a measure of how alike they are.
# inputs:
#   - name: before
#     type: string
#     description: The older text.
#     tainted_ok: true
#   - name: after
#     type: string
#     description: The newer text.
#     tainted_ok: true
#   - name: context
#     type: integer
#     description: Unchanged lines to show around a change.
#     required: false
#     default: 3
# outputs:
#   type: object
#   properties:
#     diff: {type: string}
#     added: {type: integer}
#     removed: {type: integer}
#     ratio: {type: number}
#   required: [diff, added, removed, ratio]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.10"
# ---
import difflib
import json
import sys


def count(lines, sign):
    return sum(1 for line in lines if line.startswith(sign) and not line.startswith(sign * 3))


def main(before: str, after: str, context: int = 3) -> dict:
    old, new = before.splitlines(), after.splitlines()
    lines = list(difflib.unified_diff(old, new, "before", "after", lineterm="", n=context))
    ratio = difflib.SequenceMatcher(None, old, new, autojunk=False).ratio()
    return {
        "diff": "\n".join(lines),
        "added": count(lines, "+"),
        "removed": count(lines, "-"),
        "ratio": round(ratio, 4),
    }


if __name__ == "__main__":
    print(json.dumps(main(**json.load(sys.stdin))))
