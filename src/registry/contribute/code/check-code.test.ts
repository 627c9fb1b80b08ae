import { describe, expect, test } from 'vitest';
import { checkPackageCode } from './check-code.js';

const encode = (content: string | Uint8Array) =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;
function findingsOf(files: Record<string, string | Uint8Array>) {
  const read = Object.entries(files).map(([path, content]) => ({
    path,
    bytes: encode(content),
    text: typeof content === 'string' ? content : undefined,
  }));
  return checkPackageCode(read, 'manifest.json').filter((it) => it.code !== 'contribute.has-code');
}
const codesOf = (path: string, content: string | Uint8Array) =>
  findingsOf({ [path]: content }).map((it) => it.code.replace('contribute.', ''));

describe('Python that has an effect when it is imported', () => {
  test.each([
    ['import subprocess\nsubprocess.run(["id"])', 'import-effect'],
    ['from subprocess import run as go\ngo(["id"])', 'import-effect'],
    ['import os as o\no.system("id")', 'import-effect'],
    ['import urllib.request\nDATA = urllib.request.urlopen("https://a.example")', 'import-effect'],
    ['import requests\nclass A:\n    x = requests.get("https://a.example")', 'import-effect'],
    ['open("/tmp/x", "w").write("a")', 'import-effect'],
    ['from pathlib import Path\nPath("x").write_text("a")', 'import-effect'],
    ['import socket\ns = socket.socket()', 'import-effect'],
    ['def f(x=__import__("os").system("id")):\n    pass\neval(input())', 'import-effect'],
    ['import base64\nexec(base64.b64decode("cHJpbnQoMSk="))', 'decoded-code'],
    ['import zlib\ndef main():\n    exec(zlib.decompress(b"x"))', 'decoded-code'],
    ['def main(x):\n    return eval(x)', 'dynamic-code'],
    ['import importlib\ndef main(x):\n    importlib.import_module(x)', 'dynamic-code'],
    ['def f(:\n  pass', 'unchecked-code'],
  ])('%s', (text, code) => expect(codesOf('a.py', text)).toContain(code));

  test.each([
    'import subprocess\ndef main():\n    return subprocess.run(["id"])',
    'import requests\nif __name__ == "__main__":\n    requests.get("https://a.example")',
    'TABLE = open("data.txt").read()',
    'import re\nPATTERN = re.compile("a+")\nf = lambda: open("x", "w")',
    'class A:\n    def run(self):\n        import os\n        os.system("id")',
  ])('is told from code that a call runs: %s', (text) => expect(codesOf('a.py', text)).toEqual([]));
});

describe('JavaScript and TypeScript that has an effect when it is loaded', () => {
  test.each([
    ["import { execSync } from 'node:child_process';\nexecSync('id');", 'import-effect'],
    ["const cp = require('child_process');\ncp.exec('id');", 'import-effect'],
    ["const { spawn: go } = require('child_process');\ngo('id');", 'import-effect'],
    ["require('child_process').execSync('id');", 'import-effect'],
    ["(() => { fetch('https://a.example'); })();", 'import-effect'],
    ["import fs from 'fs';\nfs.writeFileSync('a', 'b');", 'import-effect'],
    ["import { promises } from 'fs';\nclass A { static x = promises.writeFile('a', 'b'); }", 'import-effect'],
    ["import https from 'https';\nexport const x = https.get('https://a.example');", 'import-effect'],
    ["eval(Buffer.from('YQ==', 'base64').toString());", 'decoded-code'],
    ["export function f() { return new Function(atob('YQ=='))(); }", 'decoded-code'],
    ['export const f = (x) => eval(x);', 'dynamic-code'],
    ['export const f = (x) => (0, eval)(x);', 'dynamic-code'],
    ['export const f = (x) => import(x);', 'dynamic-code'],
    ['const x = {', 'unchecked-code'],
  ])('%s', (text, code) => expect(codesOf('a.mjs', text)).toContain(code));

  test.each([
    "import { execFile } from 'node:child_process';\nexport function run() { execFile('id'); }",
    "import { createServer } from 'node:http';\ncreateServer(() => {});",
    "export const handlers = { async go() { return fetch('https://a.example'); } };",
    "import fs from 'node:fs';\nconst data = fs.readFileSync('a');",
  ])('is told from code that a call runs: %s', (text) => expect(codesOf('a.mjs', text)).toEqual([]));

  test('types are removed first', () => {
    expect(
      codesOf(
        'a.ts',
        "import { execSync } from 'node:child_process';\nconst x: string = String(execSync('id'));",
      ),
    ).toEqual(['import-effect']);
  });
});

test('a key is named by its kind and place, and never shown', () => {
  const key = ['ghp', 'aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5'].join('_');
  const [found] = findingsOf({ 'notes.md': `# Notes\ntoken ${key}\n` });
  expect(found).toMatchObject({ code: 'contribute.secret', severity: 'reject', range: { line: 2 } });
  expect(JSON.stringify(found)).not.toContain(key.slice(4));
});

describe('files that run on an install, hold keys or cannot be reviewed', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['package.json', '{"scripts":{"postinstall":"node x"}}', 'install-script'],
    ['package.json', '{"scripts":{"prepare":"node x"}}', 'install-script'],
    ['setup.py', 'from setuptools import setup\nsetup(name="x")', 'install-script'],
    [
      'pyproject.toml',
      '[build-system]\nrequires = []\nbuild-backend = "b"\nbackend-path = ["."]',
      'install-script',
    ],
    ['binding.gyp', '{}', 'install-script'],
    ['lib/x.pth', 'import os', 'install-script'],
    ['.env', 'A=1', 'key-file'],
    ['.ssh/config', 'Host a', 'key-file'],
    ['.DS_Store', 'x', 'needless-file'],
    ['bin/tool', Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0xff), 'binary'],
    ['a.png', Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0xff), 'binary'],
    ['run.sh', 'echo', 'unchecked-code'],
    ['a.js', `const a = 1;${'//'.repeat(3000)}`, 'obscured-code'],
    [
      'a.js',
      Array.from({ length: 9 }, (_, index) => `const _0x12ab${index} = 1;`).join('\n'),
      'obscured-code',
    ],
  ])('%s', (path, content, code) => expect(codesOf(path, content)).toContain(code));

  test.each<[string, string | Uint8Array]>([
    ['package.json', '{"scripts":{"test":"node x","build":"node y"}}'],
    ['.env.example', 'A='],
    ['icon.png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff)],
    ['README.md', '# A'],
  ])('%s has no finding', (path, content) => expect(codesOf(path, content)).toEqual([]));
});
