// Commands with which an operator decides about packages, against a fake host that records its calls.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type {
  Host,
  OperatorAuth,
  PackageReport,
  PackageReview,
  PackageState,
  Session,
  SessionOptions,
} from '../../../../src/host/host.js';
import { HostError } from '../../../../src/model/host-error.js';
import { parseArguments } from '../../../../src/serve/cli/command/arguments.js';
import type { Command } from '../../../../src/serve/cli/command/command.js';
import { disable } from '../../../../src/serve/cli/commands/disable.js';
import { enable } from '../../../../src/serve/cli/commands/enable.js';
import { install } from '../../../../src/serve/cli/commands/install.js';
import { review } from '../../../../src/serve/cli/commands/review.js';
import { testTerminal } from '../../../support/terminal.js';
import { temporaryFolder } from '../../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let off: Set<string>;
let opened: SessionOptions[];
let accepted: string[];
let packages: PackageState[];
beforeEach(() => {
  folder = temporaryFolder();
  off = new Set(['weather']);
  opened = [];
  accepted = [];
  packages = [];
});
afterEach(() => folder.remove());

const digest = 'a'.repeat(64);
const widened: PackageReview = {
  package: 'weather',
  path: '/tools/weather',
  from: 'b'.repeat(64),
  to: digest,
  widened: ['it may reach api.example.com\u001B[2K', 'its tool send can change things now (was: read)'],
  reworded: ['the description of the tool send is now "b\u200b" (was: "b")'],
  texts: [],
  narrowed: ['it gave up reading the workspace'],
};
let shown: PackageReview = widened;

const host: Partial<Host> = {
  operator: { pin: async () => ({ set: false, failures: 0, waitUntil: null }) } as unknown as OperatorAuth,
  switches: {
    known: async () => ['weather', 'word_count'],
    disabled: async () => [...off],
    set: async (id, enabled) => (enabled ? off.delete(id) : !off.has(id) && off.add(id) !== undefined),
  },
  session: async (options) => {
    opened.push(options);
    const session: Partial<Session> = {
      packages: async () => ({ packages }) as unknown as PackageReport,
      review: async () => shown,
      waivers: async () => [],
      accept: async (id, to) => {
        accepted.push(`${id} ${to}`);
      },
    };
    return session as Session;
  },
};

async function run(command: Command, args: string[], answer?: boolean) {
  const terminal = testTerminal({ cwd: folder.path, host, ...(answer === undefined ? {} : { answer }) });
  const code = await command.run(parseArguments(command, args), terminal);
  return { code, ...terminal.printed };
}

async function failure(command: Command, args: string[]): Promise<HostError> {
  const error = await run(command, args).catch((it: unknown) => it);
  expect(error).toBeInstanceOf(HostError);
  return error as HostError;
}

function state(id: string, of: PackageState['state'], reasons: string[] = []): PackageState {
  return { id, path: `/tools/${id}`, state: of, reasons } as unknown as PackageState;
}

test('each command has at least three examples', () => {
  for (const it of [enable, disable, review, install]) expect(it.examples.length).toBeGreaterThanOrEqual(3);
});

describe('enable and disable', () => {
  test('change the state, and say how to undo it', async () => {
    expect(await run(disable, ['tides'])).toMatchObject({
      code: 0,
      out: 'tides is disabled; enable it again: toolwharf enable tides\n',
    });
    expect([...off]).toEqual(['weather', 'tides']);
    expect((await run(disable, ['tides'])).out).toBe('tides was already disabled\n');
    expect((await run(enable, ['tides'])).out).toBe('tides is enabled\n');
    expect([...off]).toEqual(['weather']);
  });

  test('a name that was not disabled is reported, with a similar name', async () => {
    expect((await run(enable, ['wether'])).out).toBe('wether was not disabled; did you mean weather?\n');
  });

  test('print JSON documents', async () => {
    expect(JSON.parse((await run(disable, ['tides', '--json'])).out)).toEqual({
      schema: 'toolwharf/switch@1',
      package: 'tides',
      enabled: false,
      changed: true,
    });
    expect(JSON.parse((await run(enable, ['tides', '--json'])).out)).toMatchObject({
      enabled: true,
      changed: true,
    });
  });

  test('a package disabled in a file stays disabled, with a warning', async () => {
    writeFileSync(join(folder.path, 'toolwharf.toml'), '[packages]\ndisabled = ["weather"]\n');
    const done = await run(enable, ['weather']);
    expect(done.err).toContain(
      `it stays disabled: packages.disabled in ${folder.path}/toolwharf.toml:2 lists it`,
    );
    expect(JSON.parse((await run(enable, ['weather', '--json'])).out).enabled).toBe(false);
  });

  test('work even if the configuration is not valid', async () => {
    writeFileSync(join(folder.path, 'toolwharf.toml'), 'nonsense = 1\n');
    expect((await run(disable, ['tides'])).code).toBe(0);
    expect((await run(enable, ['tides'])).code).toBe(0);
  });

  test.each([[[]], [['a', 'b']], [['a/b']], [['']]])('%j is rejected as a usage error', async (args) => {
    expect(await failure(disable, args)).toMatchObject({ code: 'usage' });
    expect(await failure(enable, args)).toMatchObject({ code: 'usage' });
  });
});

describe('review', () => {
  beforeEach(() => {
    shown = widened;
  });

  test('without a package lists those that need review', async () => {
    packages = [state('a', 'ready'), state('weather', 'needs-review', ['it may reach api.example.com now'])];
    const done = await run(review, ['--dir', 'my tools']);
    expect(done).toMatchObject({ code: 0 });
    expect(done.out).toBe(
      "weather\n  it may reach api.example.com now\n  review it: toolwharf review weather --dir 'my tools'\n",
    );
    expect(opened).toMatchObject([{ directories: [join(folder.path, 'my tools')], root: folder.path }]);
    expect(JSON.parse((await run(review, ['--json'])).out).packages).toMatchObject([{ id: 'weather' }]);
    packages = [];
    expect((await run(review, [])).out).toBe('no package needs review\n');
  });

  test('without a terminal shows everything, accepts nothing and names the flag', async () => {
    const done = await run(review, ['weather', '--dir', 'tools']);
    expect(done.code).toBe(5);
    expect(accepted).toEqual([]);
    for (const it of [...widened.widened, ...widened.reworded, ...widened.narrowed, digest])
      expect(done.out).toContain(it.replace('\u001B', '<U+001B>').replace('\u200b', '<U+200B>'));
    expect(done.err).toContain(`accept it: toolwharf review weather --dir tools --accept ${digest}\n`);
  });

  test('at a terminal asks; without consent the package still needs review', async () => {
    expect((await run(review, ['weather'], false)).code).toBe(5);
    expect(accepted).toEqual([]);
    const done = await run(review, ['weather'], true);
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining('accepted: weather may run\n') });
    expect(accepted).toEqual([`weather ${digest}`]);
  });

  test.each([['--no-input'], ['--json']])('never asks with %s', async (flag) => {
    expect((await run(review, ['weather', flag], true)).code).toBe(5);
    expect(accepted).toEqual([]);
  });

  test('accepts only the exact digest that was shown', async () => {
    const error = await failure(review, ['weather', '--accept', 'a'.repeat(63)]);
    expect(error).toMatchObject({ code: 'integrity', message: expect.stringContaining(digest) });
    expect(accepted).toEqual([]);
    expect((await run(review, ['weather', '--accept', digest])).code).toBe(0);
    expect(accepted).toEqual([`weather ${digest}`]);
  });

  test('says so if there is nothing to review', async () => {
    shown = { ...widened, widened: [], reworded: [], narrowed: [] };
    expect(await run(review, ['weather'], true)).toMatchObject({
      code: 0,
      out: 'nothing to review: weather asks for nothing that was not accepted\n',
    });
    expect(accepted).toEqual([]);
  });

  test('prints a JSON document', async () => {
    const waiting = await run(review, ['weather', '--json']);
    expect(JSON.parse(waiting.out)).toEqual({
      schema: 'toolwharf/review@1',
      ...widened,
      status: 'needs-review',
    });
    expect(waiting.code).toBe(5);
    const done = await run(review, ['weather', '--json', '--accept', digest]);
    expect(JSON.parse(done.out)).toMatchObject({ status: 'accepted' });
  });

  test.each([[['a', 'b']], [['--accept', digest]]])('%j is rejected', async (args) => {
    expect(await failure(review, args)).toMatchObject({ code: 'usage' });
  });

  test('opens its session with the configuration', async () => {
    writeFileSync(join(folder.path, 'toolwharf.toml'), '[limits]\nseconds = 5\n');
    await run(review, ['weather', '--allow', 'net:a.example', '--strict-runtime']);
    expect(opened).toMatchObject([
      { allow: ['net:a.example'], policy: { limits: { wallSeconds: 5 }, strictRuntime: true } },
    ]);
    writeFileSync(join(folder.path, 'toolwharf.toml'), 'nonsense = 1\n');
    expect(await failure(review, ['weather'])).toMatchObject({ code: 'invalid_config' });
    expect(opened).toHaveLength(1);
  });
});

describe('install', () => {
  test('two sources are rejected', async () => {
    expect(await failure(install, ['a', 'b'])).toMatchObject({ code: 'usage' });
  });
});
