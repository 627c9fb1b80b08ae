# ---
# name: test_simple_text
# version: "1.0.0"
# description: Answer with a text.
# inputs: []
# outputs:
#   type: string
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import json
import sys


def main():
    return "A text and nothing else."


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
