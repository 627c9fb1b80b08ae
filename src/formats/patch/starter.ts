import type { StarterFile } from '../starter.js';

/** One Python file on the standard library that searches a text. */
export function starter(name: string): readonly StarterFile[] {
  const id = idOf(name);
  return [
    { path: `${id}.py`, text: tool(id) },
    { path: 'README.md', text: readme(id) },
  ];
}

function idOf(name: string): string {
  const id = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 64)
    .replace(/_+$/, '');
  // A file that is called like a module it imports would import itself.
  if (id === 'json' || id === 'sys') return `${id}_tool`;
  return id === '' ? 'find_lines' : id;
}

function tool(id: string): string {
  return `# ---
# name: ${id}
# version: "0.1.0"
# description: Find the lines of a text that hold a word, with their numbers.
# inputs:
#   - name: text
#     type: string
#     description: The text to search.
#     tainted_ok: true
#   - name: word
#     type: string
#     description: The word to look for; capital and small letters are the same.
#   - name: limit
#     type: integer
#     description: How many lines to give at most.
#     required: false
#     default: 20
# outputs:
#   type: object
#   description: The number of lines found, and the first of them.
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
import sys


def main(text: str, word: str, limit: int = 20) -> dict:
    wanted = word.casefold()
    found = [
        {"line": number, "text": line}
        for number, line in enumerate(text.splitlines(), start=1)
        if wanted in line.casefold()
    ]
    return {"count": len(found), "lines": found[:limit]}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
`;
}

function readme(id: string): string {
  return `# ${id}

A tool in one file: the comment block at the top of \`${id}.py\` says what it is, \`main()\` does it.

\`\`\`sh
npx toolwharf validate ${id}.py
npx toolwharf call ./${id}.py '{"text": "one and another one", "word": "one"}'
npx toolwharf serve .
\`\`\`

Next steps:

- A new parameter of \`main()\` is a new entry under \`inputs\`.
- \`tainted_ok: true\` lets text from untrusted places into an input; leave it out where the value steers something.
- \`filesystem: read-only\` shows the tool the workspace, \`network: true\` lets it out, and \`human_confirm: true\`
  makes each call wait for a person. What is not asked for is not there.
- Packages are pinned: \`packages: ["requests==2.32.3"]\`.
`;
}
