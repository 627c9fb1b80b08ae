# ---
# name: compound_interest
# version: "1.0.0"
# description: What an amount grows to with interest on interest.
# inputs:
#   - name: principal
#     type: number
#     description: The amount at the start.
#   - name: rate
#     type: number
#     description: Interest a year in percent.
#   - name: years
#     type: integer
#     description: How long it lies.
#   - name: times_a_year
#     type: integer
#     description: How often interest is added.
#     required: false
#     default: 1
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


def main(principal: float, rate: float, years: int, times_a_year: int = 1) -> float:
    if times_a_year < 1 or years < 0:
        raise ValueError("years and times_a_year must be positive")
    growth = (1 + rate / 100 / times_a_year) ** (times_a_year * years)
    return round(principal * growth, 2)


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
