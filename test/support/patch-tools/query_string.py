# ---
# name: query_string
# version: "1.0.0"
# description: Change the parameters of a web address - set some, remove others, keep the rest in order.
# inputs:
#   - name: url
#     type: string
#     description: The address; nothing is fetched.
#     tainted_ok: true
#   - name: set
#     type: object
#     description: Parameters to set; a list sets the parameter several times.
#     required: false
#     default: {}
#   - name: remove
#     type: array
#     items: {type: string}
#     description: Parameters to remove.
#     required: false
#     default: []
# outputs:
#   type: string
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import json
import sys
from urllib import parse


def texts(value):
    for one in value if isinstance(value, list) else [value]:
        yield one if isinstance(one, str) else json.dumps(one)


def main(url, set=None, remove=None):
    changes, gone = set or {}, frozenset(remove or ())
    parts = parse.urlsplit(url)
    kept = [
        (name, value)
        for name, value in parse.parse_qsl(parts.query, keep_blank_values=True)
        if name not in gone and name not in changes
    ]
    kept += [(name, text) for name, value in changes.items() for text in texts(value)]
    return parse.urlunsplit(parts._replace(query=parse.urlencode(kept, quote_via=parse.quote)))


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
