# ---
# name: test_input_required_result_tampered_state
# version: "1.0.0"
# description: Wait for a person, then answer.
# inputs: []
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
import sys


def main():
    return {"state": "state-ok"}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
