# ---
# name: template_fill
# version: "1.0.0"
# description: Fill the $names of a text template from an object, and say which names were left over.
# inputs:
#   - name: template
#     type: string
#     description: "Text with $name or ${name} in it; $$ is a dollar sign."
#   - name: values
#     type: object
#     description: A value for each name.
#     tainted_ok: true
#   - name: strict
#     type: boolean
#     description: Fail when a name has no value.
#     required: false
#     default: true
# outputs:
#   type: object
#   properties:
#     text: {type: string}
#     missing: {type: array, items: {type: string}}
#     unused: {type: array, items: {type: string}}
#   required: [text, missing, unused]
# capabilities:
#   human_confirm: false
# runtime:
#   language: python
# ---
import json
import sys
from string import Template


def names_in(template):
    found = []
    for match in template.pattern.finditer(template.template):
        name = match.group("named") or match.group("braced")
        if name and name not in found:
            found.append(name)
    return found


def as_text(value):
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def main(template: str, values: dict, strict: bool = True) -> dict:
    filled = Template(template)
    names = names_in(filled)
    missing = [name for name in names if name not in values]
    if strict and missing:
        raise KeyError(f"no value for {', '.join(missing)}")
    text = filled.safe_substitute({name: as_text(value) for name, value in values.items()})
    return {"text": text, "missing": missing, "unused": sorted(set(values) - set(names))}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
