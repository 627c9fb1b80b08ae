# ---
# name: html_to_text
# version: "0.9.2"
# description: Read the text of an HTML page, without scripts and styles, with links as numbered notes.
# inputs:
#   - name: html
#     type: string
#     description: The page or a part of one.
#     tainted_ok: true
#   - name: links
#     type: boolean
#     description: Whether addresses are listed after the text.
#     required: false
#     default: true
# outputs:
#   type: object
#   properties:
#     title: {type: string}
#     text: {type: string}
#     links: {type: array, items: {type: string}}
#   required: [title, text, links]
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
from html.parser import HTMLParser

SILENT = frozenset({"script", "style", "template", "noscript"})
BLOCKS = frozenset("p div section article h1 h2 h3 h4 h5 h6 ul ol table tr blockquote pre br".split())


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts = []
        self.title = ""
        self.links = []
        self.silent = 0
        self.in_title = False
        self.open_links = []

    def handle_starttag(self, tag, attrs):
        if tag in SILENT:
            self.silent += 1
        elif tag == "title":
            self.in_title = True
        elif tag == "li":
            self.parts.append("\n- ")
        elif tag in BLOCKS:
            self.parts.append("\n")
        elif tag == "a":
            self.open_links.append(dict(attrs).get("href"))

    def handle_endtag(self, tag):
        if tag in SILENT:
            self.silent = max(0, self.silent - 1)
        elif tag == "title":
            self.in_title = False
        elif tag in BLOCKS:
            self.parts.append("\n")
        elif tag == "a" and self.open_links:
            address = self.open_links.pop()
            if address:
                if address not in self.links:
                    self.links.append(address)
                self.parts.append(f" [{self.links.index(address) + 1}]")

    def handle_data(self, data):
        if self.in_title:
            self.title += data
        elif not self.silent:
            self.parts.append(" ".join(data.split()) if data.strip() else " ")
            if data[-1:].isspace():
                self.parts.append(" ")
            if data[:1].isspace() and data.strip():
                self.parts.insert(-2 if data[-1:].isspace() else -1, " ")


def main(html, links=True):
    reader = Reader()
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.parts).splitlines())
    return {
        "title": " ".join(reader.title.split()),
        "text": "\n".join(line for line in lines if line),
        "links": reader.links if links else [],
    }


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
