// The documents are true: codes are complete both ways, links lead somewhere, and the commands they show run as shown.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { apiReference, unexportedTypes } from '../../../scripts/api-reference.mjs';
import { builtInFormats } from '../../../src/formats/built-in-formats.js';
import { diagnosticCodesOf } from '../../../src/formats/diagnostic-codes.js';
import { hostErrorCodes } from '../../../src/model/host-error.js';
import { commands } from '../../../src/serve/cli/command/commands.js';
import { errorTable } from '../../../src/serve/errors.js';
import { readPromises } from '../../support/security-promise.js';
import { main, temporaryFolder, until } from '../../support/toolwharf.js';

const diagnosticCodes = diagnosticCodesOf(builtInFormats);
const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('docs/diagnostics.md', () => {
  const text = read('docs/diagnostics.md');
  const documented = [...text.matchAll(/^## `([^`]+)`$/gm)].map((it) => it[1] as string);

  test('has exactly one entry for each code', () => {
    expect(documented.toSorted()).toEqual(Object.keys(diagnosticCodes).toSorted());
  });

  test.each(Object.entries(diagnosticCodes))(
    '%s: severity, bad and good example, reason',
    (code, severity) => {
      const from = text.indexOf(`## \`${code}\`\n`);
      const entry = text.slice(
        from,
        text.indexOf('\n## ', from + 1) === -1 ? undefined : text.indexOf('\n## ', from + 1),
      );
      expect(entry).toContain(`*${severity}.*`);
      expect(entry).toMatch(/\nBad:\n+~~~/);
      expect(entry).toMatch(/\nGood:\n+~~~/);
      expect(entry).toMatch(/\nWhy it matters: \S/);
    },
  );
});

test('docs/errors.md has each code with its exit code', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `([a-z_]+)` +\| +(\d+) +\|/gm)].map((it) => [
    it[1],
    Number(it[2]),
  ]);
  expect(rows).toEqual(hostErrorCodes.map((code) => [code, errorTable[code].exit]));
});

test('docs/dependencies.md has a reason for each dependency', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'));
  const text = read('docs/dependencies.md');
  const named = [...text.matchAll(/^\| ([@a-z][^|]*?) \| \S/gm)]
    .flatMap((it) => (it[1] as string).split(', '))
    .map((it) => it.trim())
    .filter((it) => it !== 'package' && it !== '');
  expect(named.toSorted()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).toSorted());
  for (const version of Object.values({ ...dependencies, ...devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((it) => it.endsWith('.md'))
    .map((it) => join('docs', it)),
];

test.each(pages)('links and paths in %s lead somewhere', (page) => {
  for (const [, target] of read(page).matchAll(/\]\(([^)#:]+)\)/g))
    expect(existsSync(join(root, dirname(page), target as string)), target).toBe(true);
  const path =
    /`((?:src|test|docs|scripts|model|formats|host|store|policy|net|run|serve|sandbox|secrets|schema|environment|bundle|wire)\/[\w./-]*\.(?:ts|mjs|md|json))`/g;
  for (const [, named] of read(page).matchAll(path)) {
    const places = [join(root, named as string), join(root, 'src', named as string)];
    expect(
      places.some((it) => existsSync(it)),
      named,
    ).toBe(true);
  }
});

test('the README links only to files that ship with the package', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  for (const [, target] of read('README.md').matchAll(/\]\(([^)#:]+)\)/g))
    expect(files.includes((target as string).split('/')[0] as string), target).toBe(true);
});

test('docs/commands.md names every command, and each has help with three examples', async () => {
  const text = read('docs/commands.md');
  for (const entry of commands.filter((it) => !it.hidden)) {
    expect(text, entry.name).toMatch(new RegExp(`\`${entry.name}\\b|, \`${entry.name}\\b`));
    const command = await entry.load(async () => builtInFormats);
    expect(command.examples.length, entry.name).toBeGreaterThanOrEqual(3);
    expect(command.name).toBe(entry.name);
  }
});

describe.each(['README.md', 'docs/tour/README.md'])('the commands of %s', (page) => {
  // Without a terminal, all commands are one session, which is careful after the first answer. A person's are one each.
  const state = temporaryFolder({ 'config/toolwharf/config.toml': '[taint]\nmode = "observe"\n' });
  const background: ChildProcess[] = [];
  const known = new Map<string, string>();
  const homes = {
    TOOLWHARF_HOME: join(state.path, 'state'),
    XDG_CONFIG_HOME: join(state.path, 'config'),
  };
  afterAll(() => {
    for (const child of background) child.kill();
    state.remove();
  });
  const steps = [...read(page).matchAll(/```console\n([\s\S]*?)```/g)].flatMap((block) =>
    (block[1] as string)
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command, ...output] = step.split('\n');
        return { command: command as string, output: output.join('\n') };
      }),
  );

  test('there are some', () => expect(steps.length).toBeGreaterThan(1));

  for (const [index, { command, output }] of steps.entries()) {
    test(`${index + 1}. ${command}`, async () => {
      if (command.endsWith(' &')) {
        background.push(
          spawn('/bin/sh', ['-c', `exec ${command.slice(0, -2)}`], { cwd: root, stdio: 'ignore' }),
        );
        await until(() => answers(8765));
        return;
      }
      const line = command
        .replace('npx toolwharf', `${process.execPath} ${main}`)
        .replace(/apr_…/, () => known.get('apr') ?? 'unknown');
      const environment = { ...process.env, COLUMNS: '110', ...homes };
      const done = spawnSync('/bin/sh', ['-c', line], { cwd: root, env: environment, encoding: 'utf8' });
      const shown = `${done.stdout}${done.stderr}`;
      const approval = /apr_[0-9a-f]+/.exec(shown)?.[0];
      if (approval !== undefined) known.set('apr', approval);
      expect(shown.trimEnd()).toMatch(pattern(output.trimEnd()));
    });
  }
});

/** What is printed, with `…` standing for anything on a line. */
function pattern(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '[^\\n]*')}$`);
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

test('SECURITY.md has a section for each promise, and no other', () => {
  const text = readFileSync(join(root, 'SECURITY.md'), 'utf8');
  const sections = [...text.matchAll(/^### (.+)\n\n(.+)$/gm)].map(([, title, promise]) => ({
    title,
    promise,
  }));
  expect(sections).toEqual(readPromises().map(({ title, promise }) => ({ title, promise })));
});

test('docs/api.md is what the build declares', () => {
  expect(read('docs/api.md')).toBe(apiReference());
});

test('every type that a public declaration of the library names is exported too', () => {
  expect(unexportedTypes()).toEqual([]);
});
