# ---
# name: case_convert
# version: "3.1.4"
# description: Rewrite an identifier in another convention, such as snake_case or PascalCase.
# inputs:
#   - name: identifier
#     type: string
#     description: The identifier in any convention.
#   - name: style
#     type: string
#     description: One of snake, kebab, camel, pascal, constant, title.
# outputs:
#   type: string
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.11"
# ---
import json
import re
import sys

PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

STYLES = {
    "snake": lambda words: "_".join(words),
    "kebab": lambda words: "-".join(words),
    "camel": lambda words: words[0] + "".join(word.capitalize() for word in words[1:]),
    "pascal": lambda words: "".join(word.capitalize() for word in words),
    "constant": lambda words: "_".join(word.upper() for word in words),
    "title": lambda words: " ".join(word.capitalize() for word in words),
}


class UnknownStyle(ValueError):
    def __init__(self, style):
        super().__init__(f"there is no style {style!r}; take one of {', '.join(STYLES)}")


def main(identifier: str, style: str) -> str:
    if style not in STYLES:
        raise UnknownStyle(style)
    words = [part.lower() for part in PARTS.findall(identifier)]
    return STYLES[style](words) if words else ""


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
