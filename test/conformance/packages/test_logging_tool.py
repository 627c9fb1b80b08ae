# ---
# name: test_logging_tool
# version: "1.0.0"
# description: Write to standard error what must not become a log message.
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
    print("info: a line for nobody", file=sys.stderr)
    return {"done": True}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
