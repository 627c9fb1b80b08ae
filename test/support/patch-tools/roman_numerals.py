# ---
# name: roman_numerals
# version: "1.0.0"
# description: Read a Roman numeral as a number; forms that the Romans would not have written are refused.
# inputs:
#   - name: numeral
#     type: string
#     description: Such as MCMXCIV.
# outputs:
#   type: number
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import json
import sys
from enum import IntEnum


class Letter(IntEnum):
    I = 1
    V = 5
    X = 10
    L = 50
    C = 100
    D = 500
    M = 1000


STEPS = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
         (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


def written(number):
    text = ""
    for value, letters in STEPS:
        count, number = divmod(number, value)
        text += letters * count
    return text


def main(numeral):
    text = numeral.strip().upper()
    values = [Letter[letter].value for letter in text]
    total = 0
    for index, value in enumerate(values):
        total += -value if any(value < later for later in values[index + 1:index + 2]) else value
    if not text or written(total) != text:
        raise ValueError(f"{numeral!r} is not how a number is written")
    return total


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
