# ---
# name: extract_links
# version: "1.4.0"
# description: Find the web addresses in a text and take them apart, without visiting any of them.
# inputs:
#   - name: text
#     type: string
#     description: Any text, such as a mail or a Markdown page.
#     tainted_ok: true
#   - name: hosts
#     type: array
#     items: {type: string}
#     description: Only addresses of these hosts and their subdomains; all when empty.
#     required: false
#     default: []
#   - name: strip_tracking
#     type: boolean
#     description: Remove parameters that only track who clicked.
#     required: false
#     default: false
# outputs:
#   type: array
#   items:
#     type: object
#     properties:
#       url: {type: string}
#       host: {type: string}
#       path: {type: string}
#     required: [url, host, path]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
#   packages: []
# ---
import json
import re
import sys
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

ADDRESS = re.compile(r"https?://[^\s<>\"'\]]+", re.IGNORECASE)
TRACKING = re.compile(r"^(utm_\w+|fbclid|gclid|mc_[ce]id)$")


def trimmed(address):
    """Punctuation after an address belongs to the sentence, a closing bracket only if none was opened."""
    while address and address[-1] in ".,;:!?)":
        if address[-1] == ")" and address.count("(") >= address.count(")"):
            break
        address = address[:-1]
    return address


def within(host, wanted):
    return not wanted or any(host == it or host.endswith("." + it) for it in wanted)


def main(text, hosts=(), strip_tracking=False):
    wanted = [host.lower().strip(".") for host in hosts]
    found = {}
    for match in ADDRESS.finditer(text):
        try:
            parts = urlsplit(trimmed(match.group()))
        except ValueError:
            continue
        host = (parts.hostname or "").rstrip(".")
        if not host or not within(host, wanted):
            continue
        if strip_tracking:
            kept = [(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not TRACKING.match(k)]
            parts = parts._replace(query=urlencode(kept))
        found.setdefault(urlunsplit(parts), {"host": host, "path": parts.path or "/"})
    return [{"url": url, **entry} for url, entry in found.items()]


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
