# ---
# name: yaml_to_json
# version: "1.0.0"
# description: Turn YAML text, with one or several documents, into JSON.
# inputs:
#   - name: text
#     type: string
#     description: The YAML.
#     tainted_ok: true
#   - name: path
#     type: string
#     description: Only the value at this place, written with dots, such as services.web.image or jobs.0.steps.
#     required: false
#     default: ""
# outputs:
#   type: object
#   properties:
#     documents: {type: array}
#   required: [documents]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.11"
#   packages: ["PyYAML==6.0.2"]
# ---
"""Reads YAML with the safe loader: tags that would make Python objects are refused."""

import datetime
import json
import sys

import yaml

MAX_NODES = 200_000


def plain(value, budget):
    """The value as JSON knows it. Aliases are written out, so the size is counted on the way."""
    budget[0] -= 1
    if budget[0] < 0:
        raise ValueError(f"more than {MAX_NODES} values; aliases may repeat each other without end")
    if isinstance(value, dict):
        return {str(key): plain(member, budget) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member, budget) for member in value]
    if isinstance(value, set):
        return sorted(str(member) for member in value)
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


def pick(value, path):
    for step in filter(None, path.split(".")):
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            raise KeyError(f"there is nothing at {step!r} of {path!r}")
    return value


def main(text, path=""):
    budget = [MAX_NODES]
    documents = [plain(document, budget) for document in yaml.safe_load_all(text)]
    return {"documents": [pick(document, path) for document in documents]}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
