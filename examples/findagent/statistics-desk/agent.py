"""Tools of the Statistics Desk. Toolwharf calls handler() once for each tool call."""

import math
import os
import statistics


def handler(event):
    tools = {"summary": summary, "compare": compare, "trend": trend}
    tool = tools.get(event["tool"])
    if tool is None:
        raise ValueError(f"no tool named {event['tool']}")
    return rounded(tool(**event["input"]))


def summary(values):
    ordered = sorted(values)
    lower, upper = quartiles(ordered)
    reach = 1.5 * (upper - lower)
    return {
        "count": len(ordered),
        "mean": statistics.fmean(ordered),
        "median": statistics.median(ordered),
        "quartiles": [lower, upper],
        "deviation": statistics.stdev(ordered) if len(ordered) > 1 else 0.0,
        "smallest": ordered[0],
        "largest": ordered[-1],
        "outliers": [it for it in ordered if it < lower - reach or it > upper + reach][:100],
    }


def quartiles(ordered):
    if len(ordered) == 1:
        return ordered[0], ordered[0]
    lower, _, upper = statistics.quantiles(ordered, n=4, method="inclusive")
    return lower, upper


def compare(before, after):
    difference = statistics.fmean(after) - statistics.fmean(before)
    parts = [statistics.variance(it) / len(it) for it in (before, after)]
    error = math.sqrt(sum(parts))
    pooled = math.sqrt((statistics.variance(before) + statistics.variance(after)) / 2)
    if error == 0:
        interval = [difference, difference]
    else:
        freedom = sum(parts) ** 2 / sum(
            part**2 / (len(it) - 1) for part, it in zip(parts, (before, after))
        )
        margin = student(freedom) * error
        interval = [difference - margin, difference + margin]
    return {
        "counts": [len(before), len(after)],
        "means": [statistics.fmean(before), statistics.fmean(after)],
        "difference": difference,
        "interval": interval,
        "effect": None if pooled == 0 else difference / pooled,
        "clear": interval[0] > 0 or interval[1] < 0,
    }


def student(freedom):
    """The 97.5 percent point of Student's distribution, by bisection on its density."""
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        if tail(middle, freedom) > 0.025:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def tail(t, freedom, steps=400):
    """The share beyond t: an integral over the angle whose tangent is t / sqrt(freedom)."""
    start, end = math.atan(t / math.sqrt(freedom)), math.pi / 2
    width = (end - start) / steps
    total = 0.0
    for index in range(steps + 1):
        weight = 1 if index in (0, steps) else 4 if index % 2 else 2
        cosine = max(math.cos(start + index * width), 0.0)
        total += weight * cosine ** (freedom - 1) if cosine > 0 else 0.0
    constant = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return constant * total * width / 3


def trend(y, x=None):
    points = list(range(1, len(y) + 1)) if x is None else x
    if len(points) != len(y):
        raise ValueError(f"x has {len(points)} values and y has {len(y)}")
    if len(set(points)) == 1:
        raise ValueError("all values of x are the same, so there is no trend over them")
    slope, intercept = statistics.linear_regression(points, y)
    step = points[-1] - points[-2]
    ahead = points[-1] + (step or 1)
    return {
        "slope": slope,
        "intercept": intercept,
        "correlation": None if len(set(y)) == 1 else statistics.correlation(points, y),
        "next": {"x": ahead, "y": intercept + slope * ahead},
    }


def rounded(value):
    places = int(os.environ.get("DECIMAL_PLACES") or 6)
    if isinstance(value, float):
        return round(value, places)
    if isinstance(value, list):
        return [rounded(it) for it in value]
    if isinstance(value, dict):
        return {key: rounded(it) for key, it in value.items()}
    return value
