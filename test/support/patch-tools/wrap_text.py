# ---
# name: wrap_text
# version: "1.1.0"
# description: Break the paragraphs of a text into lines of a width, as mail and commit messages want it.
# inputs:
#   - name: text
#     type: string
#     description: Paragraphs with empty lines between them.
#     tainted_ok: true
#   - name: width
#     type: integer
#     description: Longest line.
#     required: false
#     default: 72
#   - name: prefix
#     type: string
#     description: Begins every line, such as "> " for a quotation.
#     required: false
#     default: ""
#   - name: hanging
#     type: boolean
#     description: Indent the lines of a paragraph after its first by two more.
#     required: false
#     default: false
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
import textwrap


def paragraphs(text):
    block = []
    for line in textwrap.dedent(text).splitlines() + [""]:
        if line.strip():
            block.append(line.strip())
        elif block:
            yield " ".join(block)
            block = []


def main(text, width=72, prefix="", hanging=False):
    if width <= len(prefix) + 2:
        raise SystemExit(f"a width of {width} leaves no room beside the prefix")
    wrapper = textwrap.TextWrapper(
        width=width,
        initial_indent=prefix,
        subsequent_indent=prefix + ("  " if hanging else ""),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"\n{prefix.rstrip()}\n".join(wrapper.fill(paragraph) for paragraph in paragraphs(text))


if __name__ == '__main__':
    arguments = json.loads(sys.stdin.read())
    sys.stdout.write(json.dumps(main(**arguments)) + "\n")
