// Each example of docs/library.md compiles against the built package, runs, and prints the output shown on the page.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as formats from '../../../src/formats/index.js';
import * as library from '../../../src/index.js';
import { temporaryFolder } from '../../support/toolwharf.js';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
const examples = [...page.matchAll(/^## (.+)$[\s\S]*?```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/gm)].map(
  ([, title, code, output]) => ({ title: title as string, code: code as string, output: output as string }),
);
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(() => {
  folder = temporaryFolder({ 'package.json': '{"type":"module"}' });
  mkdirSync(join(folder.path, 'node_modules'));
  symlinkSync(root, join(folder.path, 'node_modules/toolwharf'));
  symlinkSync(join(root, 'node_modules/@types'), join(folder.path, 'node_modules/@types'));
  symlinkSync(join(root, 'node_modules/undici-types'), join(folder.path, 'node_modules/undici-types'));
});
afterAll(() => folder.remove());

test('every section of the page has an example and its output', () => {
  const sections = [...page.matchAll(/^## (.+)$/gm)].map((it) => it[1]);
  expect(examples.map((it) => it.title)).toEqual(sections);
});

test('every public function, and every member of a host and a session, has an example', () => {
  const used = examples.map(({ code }) => code).join('\n');
  const functions = [...Object.keys(library), ...Object.keys(formats)];
  const missing = functions.filter((it) => !new RegExp(`\\b${it}\\b`).test(used));
  const reference = readFileSync(join(root, 'docs/api.md'), 'utf8');
  for (const [name, variable] of [
    ['RemoteHost', 'host'],
    ['RemoteSession', 'session'],
  ] as const) {
    const [, declaration] = new RegExp(`^interface ${name} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(
      reference,
    ) as string[];
    const members = [...(declaration as string).matchAll(/^ {4}(?:readonly )?(\w+)[(:]/gm)].map(
      (it) => it[1],
    );
    expect(members.length).toBeGreaterThan(10);
    for (const member of members)
      if (!used.includes(`${variable}.${member}`)) missing.push(`${variable}.${member}`);
  }
  expect(missing).toEqual([]);
});

test('the examples compile against the types of the package', () => {
  const files = examples.map(({ code }, index) => {
    writeFileSync(join(folder.path, `example-${index}.ts`), code);
    return `example-${index}.ts`;
  });
  const options = '--noEmit --strict --module nodenext --target es2023 --types node'.split(' ');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, ...options, ...files], { cwd: folder.path, stdio: 'pipe' });
});

test.each(examples)('the example prints the output shown: $title', ({ code, output }) => {
  const work = temporaryFolder({ 'package.json': '{"type":"module"}', 'example.js': code });
  try {
    mkdirSync(join(work.path, 'node_modules'));
    symlinkSync(root, join(work.path, 'node_modules/toolwharf'));
    cpSync(join(root, 'examples'), join(work.path, 'examples'), { recursive: true });
    const shown = execFileSync(process.execPath, ['example.js'], { cwd: work.path, encoding: 'utf8' });
    expect(shown).toBe(output);
  } finally {
    work.remove();
  }
});
