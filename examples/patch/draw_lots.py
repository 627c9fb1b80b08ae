# ---
# name: draw_lots
# version: "1.0.0"
# description: Draw winners from a list of names at random. A draw counts, so a person agrees to each one.
# inputs:
#   - name: names
#     type: array
#     items: {type: string}
#     description: Everybody who takes part.
#     tainted_ok: true
#   - name: winners
#     type: integer
#     description: How many names to draw.
#     required: false
#     default: 1
# outputs:
#   type: object
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: true
# runtime:
#   language: python
# ---
import json
import secrets
import sys


def main(names, winners=1):
    left = list(dict.fromkeys(names))
    if not 0 < winners <= len(left):
        raise SystemExit(f"cannot draw {winners} of {len(left)} names")
    drawn = [left.pop(secrets.randbelow(len(left))) for _ in range(winners)]
    return {"winners": drawn, "of": len(set(names))}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
