# ---
# name: test_tool_with_progress
# version: "1.0.0"
# description: Take a little over three seconds.
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
import time


def main():
    time.sleep(3.3)
    return {"waited": True}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
