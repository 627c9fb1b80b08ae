// SECURITY.md: "Rules only tighten". A project file can limit the search with `discovery.only`. It can
// exclude parts of the project, but cannot add packages from elsewhere on this machine or from folders that
// the user ignores.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discover } from '../../../src/bundle/discover.js';
import { builtInFormats } from '../../../src/formats/built-in-formats.js';
import { createHost, type Host } from '../../../src/index.js';
import { openAgreeingSession } from '../../../src/serve/cli/agreeing-session.js';
import { parseArguments } from '../../../src/serve/cli/command/arguments.js';
import type { Command } from '../../../src/serve/cli/command/command.js';
import { validateCommand } from '../../../src/serve/cli/commands/validate.js';
import { sessionOptions } from '../../../src/serve/cli/config/config.js';
import { sessionFor } from '../../../src/serve/cli/config/session-options.js';
import { testTerminal } from '../../support/terminal.js';
import { patchTool, temporaryFolder } from '../../support/toolwharf.js';

const validate = validateCommand(builtInFormats);

let folder: ReturnType<typeof temporaryFolder>;
afterEach(() => folder?.remove());

const project = () => join(folder.path, 'checkout');
const command = { name: 'test', options: sessionOptions } as unknown as Command;

function machine(only: string, user = ''): void {
  folder = temporaryFolder({
    'private/admin.py': patchTool({ name: 'admin' }),
    'checkout/toolwharf.toml': `[discovery]\nonly = [${JSON.stringify(only)}]\n`,
    'checkout/tools/harmless.py': patchTool({ name: 'harmless' }),
    '.config/toolwharf/config.toml': user,
  });
  mkdirSync(join(project(), 'links'));
}

function link(from: string, to: string): void {
  symlinkSync(to, join(project(), from));
}

const terminal = () => testTerminal({ cwd: project(), environment: { HOME: folder.path } });

/** Manifest files that a command finds, by default without a path. */
async function served(...paths: string[]): Promise<string[]> {
  const { directories, policy } = await sessionFor(parseArguments(command, []), terminal(), paths);
  const { ignore, depth } = policy;
  return discover(directories, { cwd: project(), formats: builtInFormats, ignore, depth }).found.map(
    (it) => it.file,
  );
}

describe('a link in discovery.only', () => {
  test.each([
    ['to a folder', 'links/a', () => link('links/a', join(folder.path, 'private'))],
    ['to a manifest', 'links/admin.py', () => link('links/admin.py', join(folder.path, 'private/admin.py'))],
    ['in a parent folder', 'links/up/private', () => link('links/up', folder.path)],
    ['that is relative', 'links/b', () => link('links/b', '../../private')],
    [
      'to another link',
      'links/c',
      () => {
        link('links/d', join(folder.path, 'private'));
        link('links/c', 'd');
      },
    ],
  ])('%s does not add packages outside the project', async (_name, only, prepare) => {
    machine(only);
    prepare();
    await expect(served()).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining('is a link out of'),
      hint: expect.stringContaining('toolwharf.toml'),
    });
    await expect(validate.run(parseArguments(validate, []), terminal())).rejects.toMatchObject({
      code: 'invalid_config',
    });
    // Control: the package is found if the user names it.
    expect(await served(join(project(), only))).toEqual([expect.stringMatching(/admin\.py$/)]);
  });

  test('inside the project is followed', async () => {
    machine('links/here');
    link('links/here', '../tools');
    expect(await served()).toEqual(['links/here/harmless.py']);
  });

  test('to the project folder itself does not count as a link out of the project', async () => {
    machine('tools');
    symlinkSync(project(), join(folder.path, 'other-name'));
    const other = testTerminal({
      cwd: join(folder.path, 'other-name'),
      environment: { HOME: folder.path },
    });
    const { directories } = await sessionFor(parseArguments(command, []), other, []);
    expect(directories).toEqual([join(folder.path, 'other-name', 'tools')]);
  });
});

describe('a folder that is not searched', () => {
  const hide = (path: string) => {
    mkdirSync(dirname(join(project(), path)), { recursive: true });
    writeFileSync(join(project(), path), patchTool({ name: 'hidden' }));
  };

  test.each([
    ['because the user ignores it', 'vendor/tools', '[discovery]\nignore = ["vendor"]\n'],
    ['by default', 'node_modules/some', ''],
  ])('%s is not searched through discovery.only either', async (_name, only, user) => {
    machine(only, user);
    hide(`${only}/hidden.py`);
    await expect(served()).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining('is not searched'),
    });
    expect(await served(join(project(), only))).toEqual([`${only}/hidden.py`]);
  });
});

test('a missing folder in discovery.only is reported as missing', async () => {
  machine('missing');
  const { directories } = await sessionFor(parseArguments(command, []), terminal(), []);
  expect(discover(directories, { cwd: project(), formats: builtInFormats }).missing).toEqual([
    join(project(), 'missing'),
  ]);
});

describe('an agent that writes to the project', () => {
  let host: Host;
  beforeEach(async () => {
    machine('tools');
    host = await createHost({ state: join(folder.path, 'state'), watch: false, warm: false });
  });
  afterEach(() => host.close());

  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(project(), path)), { recursive: true });
    writeFileSync(join(project(), path), text);
  };
  /** Package states in a session that a person at a terminal opens in the project. */
  const states = async (...paths: string[]) => {
    const args = parseArguments(command, []);
    const person = { ...terminal(), stdinIsTerminal: true };
    const options = await sessionFor(args, person, paths);
    const session = await openAgreeingSession(host, options, paths, args, person);
    const { packages } = await session.packages();
    await session.close();
    return Object.fromEntries(packages.map(({ id, state }) => [id, state]));
  };

  test.each([
    ['a folder', 'own'],
    ['a manifest', 'own/own.py'],
    ['a folder inside a known folder', 'tools/own'],
  ])('cannot give itself a tool by naming %s', async (_name, only) => {
    expect(await states()).toEqual({ harmless: 'ready' });
    write(only.endsWith('.py') ? only : `${only}/own.py`, patchTool({ name: 'own' }));
    write('toolwharf.toml', `[discovery]\nonly = ["tools/harmless.py", ${JSON.stringify(only)}]\n`);
    expect(await states()).toEqual({ harmless: 'ready', own: 'needs-review' });
    // The same again: a seen package is not an accepted package.
    expect(await states()).toEqual({ harmless: 'ready', own: 'needs-review' });
    // Control: the tool is valid, and is ready if the operator names it.
    expect(await states(join(project(), only))).toEqual({ own: 'ready' });
  });
});
