# ---
# name: json_diff
# version: "1.0.0"
# description: What changed between two JSON documents, as a list of JSON Patch operations.
# inputs:
#   - name: before
#     type: string
#     description: The older document as text.
#     tainted_ok: true
#   - name: after
#     type: string
#     description: The newer document as text.
#     tainted_ok: true
# outputs:
#   type: array
#   items:
#     type: object
#     properties:
#       op: {enum: [add, remove, replace]}
#       path: {type: string}
#     required: [op, path]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.13"
# ---
import json
import sys


def pointer(base, step):
    return f"{base}/{str(step).replace('~', '~0').replace('/', '~1')}"


def same(a, b):
    """True and 1 are equal in Python and different in JSON."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def compare(old, new, path=""):
    match old, new:
        case dict(), dict():
            for key in sorted(old.keys() - new.keys()):
                yield {"op": "remove", "path": pointer(path, key)}
            for key in sorted(new.keys()):
                if key in old:
                    yield from compare(old[key], new[key], pointer(path, key))
                else:
                    yield {"op": "add", "path": pointer(path, key), "value": new[key]}
        case list(), list():
            shared = min(len(old), len(new))
            for index in range(shared):
                yield from compare(old[index], new[index], pointer(path, index))
            for index in reversed(range(shared, len(old))):
                yield {"op": "remove", "path": pointer(path, index)}
            for index in range(shared, len(new)):
                yield {"op": "add", "path": pointer(path, "-"), "value": new[index]}
        case _ if not same(old, new):
            yield {"op": "replace", "path": path, "value": new}


def main(before, after):
    return list(compare(json.loads(before), json.loads(after)))


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
