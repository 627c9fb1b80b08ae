# ---
# name: word_count
# version: "1.0.0"
# description: Count the words, lines and characters of a text.
# inputs:
#   - name: text
#     type: string
#     description: The text.
#     tainted_ok: true
# outputs:
#   type: object
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import json
import sys


def main(text):
    return {"words": len(text.split()), "lines": len(text.splitlines()), "characters": len(text)}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
