# ---
# name: split_amount
# version: "1.0.0"
# description: Split an amount of money by weights so that the parts add up to the last cent.
# inputs:
#   - name: amount
#     type: string
#     description: The amount as text, such as "100.00"; floats lose cents.
#   - name: weights
#     type: array
#     items: {type: integer, minimum: 0}
#     description: One weight for each part.
#   - name: decimals
#     type: integer
#     description: Digits after the point of the currency.
#     required: false
#     default: 2
# outputs:
#   type: array
#   items: {type: string}
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
# ---
import json
import sys
from decimal import ROUND_DOWN, Decimal, InvalidOperation


def main(amount: str, weights: list[int], decimals: int = 2) -> list[str]:
    try:
        total = Decimal(amount)
    except InvalidOperation:
        raise ValueError(f"{amount!r} is not an amount") from None
    unit = Decimal(1).scaleb(-decimals)
    if total != total.quantize(unit):
        raise ValueError(f"{amount} has more than {decimals} digits after the point")
    whole = sum(weights)
    if whole == 0:
        raise ValueError("the weights add up to nothing")
    parts = [(total * weight / whole).quantize(unit, rounding=ROUND_DOWN) for weight in weights]
    # What rounding left over goes to those it took most from.
    left = int((total - sum(parts)) / unit)
    step = unit if left >= 0 else -unit
    lost = sorted(range(len(parts)), key=lambda i: (-abs(total * weights[i] / whole - parts[i]), i))
    for index in lost[: abs(left)]:
        parts[index] += step
    return [str(part.quantize(unit)) for part in parts]


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
