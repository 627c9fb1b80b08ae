# ---
# name: add_fractions
# version: "1.0.0"
# description: Add fractions and give the sum in lowest terms.
# inputs:
#   - {name: terms, type: array, items: {type: string}, description: 'Fractions such as "1/2", "-3/4" or "0.125".'}
#   - {name: mixed, type: boolean, description: Write whole numbers apart., required: false, default: false}
# outputs: {type: string}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python}
# ---
import json, sys
from fractions import Fraction


def shown(value, mixed):
    if not mixed or abs(value) < 1 or value.denominator == 1:
        return str(value)
    whole, rest = divmod(abs(value), 1)
    return f"{'-' if value < 0 else ''}{whole} {rest}"


def main(terms, mixed=False):
    return shown(sum(map(Fraction, terms), Fraction()), mixed)


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
