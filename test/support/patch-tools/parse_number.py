# ---
# name: parse_number
# version: "0.0.1"
# description: Read a number as people write it, with either comma or point before the decimals.
# inputs:
#   - name: text
#     type: string
#     description: Such as 1.234,56 or 1,234.56.
# outputs:
#   type: number
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
# Some answers break its promise: what is no number comes back as text, and "nothing" as no output at all.
import json
import re
import sys


def main(text):
    compact = re.sub(r"[\s'_]", "", text)
    last = max(compact.rfind(","), compact.rfind("."))
    if last >= 0 and (len(compact) - last - 1 != 3 or compact.count(compact[last]) == 1):
        compact = re.sub(r"[.,]", "", compact[:last]) + "." + compact[last + 1 :]
    else:
        compact = re.sub(r"[.,]", "", compact)
    try:
        return float(compact)
    except ValueError:
        return text


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    result = main(**args)
    if result == "nothing":
        sys.exit()
    print(result if result == "odd" else json.dumps(result))
