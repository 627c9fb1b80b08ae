# ---
# name: edit_distance
# version: "1.0.0"
# description: How many letters must be added, removed or replaced to turn one word into another.
# inputs:
#   - {name: left, type: string, description: One word., tainted_ok: true}
#   - {name: right, type: string, description: The other word., tainted_ok: true}
#   - {name: ignore_case, type: boolean, description: Whether capital and small letters are the same., required: false, default: false}
#   - {name: swaps, type: boolean, description: Whether two neighbors that changed places count as one step., required: false, default: true}
# outputs: {type: integer}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python, python_version: "3.9", packages: []}
# ---
import json
import sys
import unicodedata


def letters(word, ignore_case):
    """Letters as people see them: an accent belongs to the letter before it."""
    found = []
    for unit in unicodedata.normalize("NFC", word.casefold() if ignore_case else word):
        if found and unicodedata.combining(unit):
            found[-1] += unit
        else:
            found.append(unit)
    return found


def main(left, right, ignore_case=False, swaps=True):
    a, b = letters(left, ignore_case), letters(right, ignore_case)
    before, row = [], list(range(len(b) + 1))
    for i, one in enumerate(a, start=1):
        older, before, row = before, row, [i]
        for j, other in enumerate(b, start=1):
            steps = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (one != other))
            if swaps and i > 1 and j > 1 and one == b[j - 2] and a[i - 2] == other:
                steps = min(steps, older[j - 2] + 1)
            row.append(steps)
    return row[-1]


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
