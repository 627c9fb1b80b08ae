# ---
# name: xml_to_json
# version: "1.0.0"
# description: Turn a small XML document into nested objects with attributes, text and children.
# inputs:
#   - name: text
#     type: string
#     description: The XML. Documents with a DOCTYPE are refused.
#     tainted_ok: true
#   - name: strip_namespaces
#     type: boolean
#     description: Leave the addresses of namespaces out of names.
#     required: false
#     default: true
# outputs:
#   type: object
#   properties:
#     tag: {type: string}
#     attributes: {type: object}
#     text: {type: string}
#     children: {type: array, items: {type: object}}
#   required: [tag, attributes, text, children]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import json
import sys
import xml.etree.ElementTree as ET


def local(name, strip):
    return name.rpartition("}")[2] if strip else name


def convert(element, strip):
    return {
        "tag": local(element.tag, strip),
        "attributes": {local(name, strip): value for name, value in element.attrib.items()},
        "text": " ".join("".join([element.text or ""] + [child.tail or "" for child in element]).split()),
        "children": [convert(child, strip) for child in element],
    }


def main(text: str, strip_namespaces: bool = True) -> dict:
    if "<!DOCTYPE" in text.upper():
        # Entities are how a few lines of XML become gigabytes.
        raise ValueError("a DOCTYPE is not accepted")
    return convert(ET.fromstring(text), strip_namespaces)


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
