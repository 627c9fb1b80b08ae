# ---
# name: test_error_handling
# version: "1.0.0"
# description: Fail on purpose.
# inputs: []
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


def main():
    raise RuntimeError("failed on purpose")


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
