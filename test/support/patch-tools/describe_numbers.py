# ---
# name: describe_numbers
# version: "1.2.3"
# description: Mean, median, spread and quartiles of a list of numbers.
# inputs:
#   - name: numbers
#     type: array
#     items: {type: number}
#     description: At least two numbers.
#     tainted_ok: true
#   - name: digits
#     type: integer
#     description: Digits after the point.
#     required: false
#     default: 4
# outputs:
#   type: object
#   properties:
#     count: {type: integer}
#     mean: {type: number}
#     median: {type: number}
#     deviation: {type: number}
#     quartiles: {type: array, items: {type: number}}
#     minimum: {type: number}
#     maximum: {type: number}
#     outliers: {type: array, items: {type: number}}
#   required: [count, mean, median, deviation, quartiles]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
# ---
import json
import statistics
import sys
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Summary:
    count: int
    mean: float
    median: float
    deviation: float
    minimum: float
    maximum: float
    quartiles: list = field(default_factory=list)
    outliers: list = field(default_factory=list)


def summarise(numbers, digits):
    low, middle, high = statistics.quantiles(numbers, n=4, method="inclusive")
    reach = 1.5 * (high - low)
    return Summary(
        count=len(numbers),
        mean=round(statistics.fmean(numbers), digits),
        median=round(statistics.median(numbers), digits),
        deviation=round(statistics.stdev(numbers), digits),
        minimum=min(numbers),
        maximum=max(numbers),
        quartiles=[round(it, digits) for it in (low, middle, high)],
        outliers=sorted(it for it in numbers if it < low - reach or it > high + reach),
    )


def main(numbers, digits=4):
    return asdict(summarise(numbers, digits))


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
