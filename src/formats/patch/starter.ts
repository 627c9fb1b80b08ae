import { foldedName, type StarterFile, type StarterMachine } from '../starter.js';

/** The default of the format. */
const defaultPython = '3.12';

/**
 * A Python tool in one file that searches a text. It uses only the standard library. It names the Python of this
 * machine, so that it runs at once and without a warning.
 */
export function starter(name: string, _folder: string, { python }: StarterMachine): readonly StarterFile[] {
  const id = idOf(name);
  return [
    { path: `${id}.py`, text: tool(id, python ?? defaultPython) },
    { path: 'README.md', text: readme(id) },
  ];
}

function idOf(name: string): string {
  const id = foldedName(name)
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 64)
    .replace(/_+$/, '');
  // A file with the name of a module that it imports would import itself.
  if (id === 'json' || id === 'sys') return `${id}_tool`;
  return id === '' ? 'find_lines' : id;
}

function tool(id: string, python: string): string {
  return `# ---
# name: ${id}
# version: "0.1.0"
# description: Find the lines of a text that contain a word, with their line numbers.
# inputs:
#   - name: text
#     type: string
#     description: The text to search.
#     tainted_ok: true
#   - name: word
#     type: string
#     description: The word to search for. Upper and lower case are equal.
#   - name: limit
#     type: integer
#     description: The maximum number of lines to return.
#     required: false
#     default: 20
# outputs:
#   type: object
#   description: The number of matching lines, and the first of them.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "${python}"
#   packages: []
# ---
import json
import sys


def main(text: str, word: str, limit: int = 20) -> dict:
    needle = word.casefold()
    found = [
        {"line": number, "text": line}
        for number, line in enumerate(text.splitlines(), start=1)
        if needle in line.casefold()
    ]
    return {"count": len(found), "lines": found[:limit]}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
`;
}

function readme(id: string): string {
  return `# ${id}

A tool in one file. The comment block at the top of \`${id}.py\` is the manifest; \`main()\` does the work.

\`\`\`sh
toolwharf validate ${id}.py
toolwharf call ./${id}.py '{"text": "one and another one", "word": "one"}'
toolwharf serve .
\`\`\`

Next steps:

- For each parameter of \`main()\`, add an entry under \`inputs\`.
- \`tainted_ok: true\` allows text from untrusted sources in an input. Leave it out where the value controls what the
  tool does.
- \`filesystem: read-only\` lets the tool read the workspace, \`network: true\` allows connections, and
  \`human_confirm: true\` makes each call wait for approval. Everything that is not requested is denied.
- Packages need exact versions: \`packages: ["requests==2.32.3"]\`.
`;
}
