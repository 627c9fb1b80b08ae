# ---
# name: test_elicitation
# version: "1.0.0"
# description: Wait for a person, then repeat the message.
# inputs:
#   - name: message
#     type: string
#     description: What the question is about.
#     tainted_ok: true
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


def main(message):
    return {"message": message}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
