# ---
# name: linear_fit
# version: "1.0.0"
# description: The straight line that fits points best, with how well it does.
# inputs:
#   - name: points
#     type: array
#     description: Pairs of x and y.
#     items:
#       type: array
#       items: {type: number}
#       minItems: 2
#       maxItems: 2
# outputs:
#   type: object
#   properties:
#     slope: {type: number}
#     intercept: {type: number}
#     r_squared: {type: [number, "null"]}
#   required: [slope, intercept, r_squared]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.10"
# ---
import json
import sys
from fractions import Fraction


def exact(number):
    """The decimal that was written, not the binary number nearest to it."""
    return Fraction(str(number))


def main(points: list) -> dict:
    n = len(points)
    if n < 2:
        raise ValueError("a line needs two points")
    xs, ys = zip(*((exact(x), exact(y)) for x, y in points))
    mean_x, mean_y = sum(xs) / n, sum(ys) / n
    spread = sum((x - mean_x) ** 2 for x in xs)
    if spread == 0:
        raise ValueError("all points have the same x")
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / spread
    intercept = mean_y - slope * mean_x
    total = sum((y - mean_y) ** 2 for y in ys)
    left = sum((y - (slope * x + intercept)) ** 2 for x, y in zip(xs, ys))
    return {
        "slope": float(slope),
        "intercept": float(intercept),
        "r_squared": None if total == 0 else float(1 - left / total),
    }


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
