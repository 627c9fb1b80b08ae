// Packages whose manifest is valid but which cannot answer here: none of them is ready, each says why and what to do,
// and a call fails with the same reason.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject, PackageState, Session } from '../../../src/index.js';
import { bareServer } from '../../support/mcp-upstream.js';
import {
  type Files,
  findagent,
  inputOf,
  pythonTool,
  toolspace,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const input = inputOf({});
const subcommand = { name: 'go', invocation: { kind: 'subcommand', argv_template: ['x'] }, input };
const runs = (...command: string[]) => ({ entrypoint: { command } });
const pip = (version?: string) => ({
  kind: 'python-module',
  install: { method: 'pip', package: 'absent', ...(version === undefined ? {} : { version_spec: version }) },
});
const npm = (version: string) => ({
  kind: 'node-module',
  install: { method: 'npm', package: 'absent', version_spec: version },
});
const container = (image: string) => ({ kind: 'container', install: { method: 'container', image } });
const goes = { name: 'go', description: 'Goes somewhere.', input_schema: input };

function manifest(id: string, runtime: object, actions: readonly JsonObject[] = [subcommand]): string {
  const whole = JSON.parse(toolspace({ id, command: ['true'], actions }));
  return JSON.stringify({ ...whole, runtime: { ...whole.runtime, ...runtime } });
}

interface Shape {
  readonly id: string;
  readonly files: (id: string) => Files;
  readonly state: PackageState['state'];
  readonly code: string;
  /** A part of the reason, and the next step. */
  readonly reason: RegExp;
}

const shape = (
  id: string,
  runtime: object,
  [state, code, reason]: readonly [PackageState['state'], string, RegExp],
  more: { readonly actions?: readonly JsonObject[]; readonly files?: Files } = {},
): Shape => ({
  ...{ id, state, code, reason },
  files: () => ({
    [`${id}/toolspace.json`]: manifest(id, runtime, more.actions),
    ...Object.fromEntries(Object.entries(more.files ?? {}).map(([name, text]) => [`${id}/${name}`, text])),
  }),
});

/** Ready for its prompt. None of its tools is listed, and a call says why. */
const agent = (id: string, rest: JsonObject, reason: RegExp): Shape => ({
  ...{ id, state: 'ready', code: 'unavailable', reason },
  files: () => ({ [`${id}/findagent.json`]: findagent(id, rest) }),
});

const noCode = ['unavailable', 'runtime_missing', /not in its folder.*put the files of https/] as const;
const noVersion = ['unavailable', 'runtime_missing', /no exact version.*write one in version_spec/] as const;
const noProgram = ['unavailable', 'runtime_missing', /is not installed in \/usr\/bin.*install it/] as const;
const noPackages = ['needs-setup', 'needs_setup', /packages are not installed.*toolwharf install/] as const;

const shapes: readonly Shape[] = [
  shape('script-missing', runs('python3', 'absent.py'), noCode),
  shape('module-missing', runs('python3', '-m', 'absent'), noCode),
  shape('script-in-other-folder', { entrypoint: { command: ['python3', 'a.py'], cwd: 'lib' } }, noCode, {
    files: { 'a.py': 'print(1)' },
  }),
  shape('server-missing', { kind: 'mcp-stdio', ...runs('node', 'absent.mjs') }, noCode, { actions: [] }),
  shape('program-missing', runs('absent-program', 'a.txt'), noProgram, { files: { 'a.txt': '' } }),
  shape('old-interpreter', runs('python2', 'a.py'), noProgram, { files: { 'a.py': '' } }),
  shape('outside-program', runs('/opt/absent/program', 'a.txt'), noProgram, { files: { 'a.txt': '' } }),
  shape('script-interpreter', runs('./run'), noProgram, { files: { run: '#!/usr/bin/env absent-ruby\n' } }),
  shape(
    'own-program-missing',
    runs('./absent', 'a.txt'),
    ['unavailable', 'runtime_missing', /\.\/absent is not in its folder; add it/],
    { files: { 'a.txt': '' } },
  ),
  shape(
    'package-runner',
    runs('npx', 'a.txt'),
    ['unavailable', 'runtime_missing', /npx, which downloads.*put the server into the package/],
    { files: { 'a.txt': '' } },
  ),
  shape('pip-range', { ...pip('>=1,<2'), ...runs('python3', '-m', 'absent') }, noVersion),
  shape('pip-newest', { ...pip(), ...runs('python3', '-m', 'absent') }, noVersion),
  shape('npm-range', { ...npm('^1.0.0'), ...runs('absent') }, noVersion),
  shape('pip-exact', { ...pip('==1.0.0'), ...runs('python3', '-m', 'absent') }, noPackages),
  shape('npm-exact', { ...npm('1.0.0'), ...runs('absent') }, noPackages),
  shape('pip-own-script', { ...pip('==1.0.0'), ...runs('python3', 'absent.py') }, [
    'unavailable',
    'runtime_missing',
    /runs absent\.py, which is not in its folder; add it/,
  ]),
  shape('image-tag', { ...container('registry.example.com/x:1'), ...runs('x') }, [
    'unavailable',
    'runtime_missing',
    /has no digest.*add "@sha256/,
  ]),
  shape(
    'server-without-tool',
    { kind: 'mcp-stdio', ...runs('node', 'server.mjs') },
    ['unavailable', 'upstream_failed', /declares "gone", which its program does not announce; correct/],
    {
      actions: [{ name: 'go', invocation: { kind: 'mcp-tool', tool_name: 'gone' } }],
      files: { 'server.mjs': bareServer('') },
    },
  ),
  agent('unbound', { tools: [goes] }, /defines no action for go; add one/),
  agent(
    'composed-of-nothing',
    { tools: [{ ...goes, action: { type: 'compose', agent: 'absent', tool: 'x' } }] },
    /calls absent\/x, and there is no package absent here; add its folder/,
  ),
  agent(
    'composed-of-no-tool',
    { tools: [{ ...goes, action: { type: 'compose', agent: 'half-bound', tool: 'absent' } }] },
    /calls half-bound\/absent, but half-bound has no such tool/,
  ),
  {
    id: 'patch_packages',
    state: 'needs-setup',
    code: 'needs_setup',
    reason: noPackages[2],
    files: (id) => ({
      [`${id}.py`]: pythonTool({ name: id, body: ['return {}'] }).replace(
        '#   python_version: "3.11"',
        '#   packages: ["absent==1.0.0"]',
      ),
    }),
  },
  {
    id: 'talos-credential',
    state: 'needs-setup',
    code: 'needs_setup',
    reason: /toolwharf secret set talos-credential/,
    files: (id) => ({
      [`${id}/manifest.json`]: JSON.stringify({
        ...{ id, name: id, description: 'A test.', version: '1.0.0' },
        credentials: [{ name: 'key', label: 'Key', required: true }],
        functions: [{ name: 'go', description: 'Goes.', parameters: { type: 'object', properties: {} } }],
      }),
      [`${id}/index.mjs`]: 'export const go = () => 1;',
    }),
  },
];

let bench: Workbench;
let session: Session;
let states: ReadonlyMap<string | null, PackageState>;

beforeAll(async () => {
  const half = findagent('half-bound', {
    tools: [goes, { ...goes, name: 'say', action: { type: 'prompt-template', template: 'Say it.' } }],
  });
  const files = Object.assign({}, ...shapes.map((it) => it.files(it.id))) as Files;
  bench = await workbench({ ...files, 'half-bound/findagent.json': half });
  session = await bench.session();
  states = new Map((await session.packages()).packages.map((it) => [it.id, it]));
});

afterAll(() => bench.close());

test.each(shapes)('$id is $state, and a call says the same', async ({ id, state, code, reason }) => {
  const found = states.get(id);
  expect(found?.state).toBe(state);
  expect(found?.reasons.join('; ')).toMatch(reason);
  expect((await session.tools()).filter((it) => it.name.startsWith(`${id}/`))).toEqual([]);
  const tool = found?.package?.tools[0]?.name ?? 'go';
  const answer = await session.call({ tool: `${id}/${tool}`, arguments: {} });
  expect(answer).toMatchObject({ error: { code, message: expect.stringMatching(reason) } });
});

test('a package with one tool that works is ready, and says which of its tools do not', async () => {
  const found = states.get('half-bound');
  expect(found).toMatchObject({ state: 'ready', reasons: [expect.stringContaining('no action for go')] });
  const names = (await session.tools()).map((it) => it.name).filter((it) => it.startsWith('half-bound/'));
  expect(names).toEqual(['half-bound/say']);
  expect(await session.call({ tool: 'half-bound/go', arguments: {} })).toMatchObject({
    error: { code: 'unavailable', message: expect.stringContaining(found?.reasons[0] ?? '-') },
  });
});

test('a container is not ready without an engine', async () => {
  const image = `registry.example.com/x@sha256:${'0'.repeat(64)}`;
  bench.write({ 'boxed/toolspace.json': manifest('boxed', { ...container(image), ...runs('x') }) });
  const opened = await bench.host.session({
    principal: 'agent',
    directories: [join(bench.packages, 'boxed')],
    root: bench.root,
    policy: { containers: { engine: '/absent/engine' } },
  });
  const [found] = (await opened.packages()).packages;
  expect(found?.state).toBe('unavailable');
  const answer = await opened.call({ tool: 'boxed/go', arguments: {} });
  expect(answer).toMatchObject({
    error: { code: 'runtime_missing', message: expect.stringContaining(found?.reasons[0] ?? '-') },
  });
});

test('a bundled file that is not the declared one makes its package broken, and calls and installs fail', async () => {
  const write = (name: string, text: string) => writeFileSync(join(bench.packages, name), text);
  bench.write({ 'digest/run.sh': 'echo changed\n' });
  const install = { method: 'url', url: 'https://example.com/run.sh', sha256: 'a'.repeat(64) };
  write('digest/toolspace.json', manifest('digest', { install, ...runs('sh', 'run.sh') }));
  const opened = await bench.host.session({
    principal: 'agent',
    directories: [join(bench.packages, 'digest')],
    root: bench.root,
  });
  const [found] = (await opened.packages()).packages;
  const both = /run\.sh has the SHA-256 [0-9a-f]{64}, but the manifest declares a{64}/;
  expect(found).toMatchObject({ state: 'broken', reasons: [expect.stringMatching(both)] });
  const failed = { code: 'integrity', message: expect.stringMatching(both) };
  expect(await opened.call({ tool: 'digest/go', arguments: {} })).toMatchObject({ error: failed });
  await expect(opened.install('digest')).rejects.toMatchObject(failed);
});
