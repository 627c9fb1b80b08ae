// A plain MCP server as a package: what it sees when it runs, from a path and installed.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
import { bareServer } from '../../support/mcp-upstream.js';
import { type Workbench, workbench } from '../../support/workbench.js';

/** Answers with what the server sees. `save` writes to its home folder. */
const server = bareServer(`
const { existsSync, readdirSync, readFileSync, writeFileSync } = await import('node:fs');
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const see = () => ({
  home: process.env.HOME,
  cwd: process.cwd(),
  mode: process.env.MODE,
  args: process.argv.slice(2),
  saved: readdirSync(process.env.HOME),
  openFiles: Number(/Max open files +(\\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))[1]),
  found: process.argv.slice(2).map((it) => (existsSync(it) ? readFileSync(it, 'utf8') : 'nothing')),
});
const change = ({ path }) => {
  try {
    writeFileSync(path, 'changed');
    return 'changed';
  } catch (error) {
    return error.code;
  }
};
const { spawn } = await import('node:child_process');
/** How many of so many processes can run at the same time. */
const many = ({ count }) => {
  const children = Array.from({ length: count }, () => spawn('/bin/sleep', ['30']).on('error', () => {}));
  // Node would signal its own group for a child that did not start.
  const started = children.filter((it) => it.pid !== undefined);
  for (const it of started) it.kill();
  return started.length;
};
const answers = {
  see,
  many,
  save: () => change({ path: process.env.HOME + '/note.txt' }),
  change,
};
on = {
  'tools/list': () => ({ tools: Object.keys(answers).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name, arguments: args }) => text(answers[name](args)),
};`);

let bench: Workbench;
let outside: string;
beforeEach(async () => {
  bench = await workbench({});
  outside = join(bench.path, 'outside');
  mkdirSync(outside);
  chmodSync(outside, 0o777);
  writeFileSync(join(outside, 'a.txt'), 'from outside');
  chmodSync(join(outside, 'a.txt'), 0o666);
});
afterEach(() => bench.close());

function write(members: JsonObject = {}): string {
  const manifest = {
    ...{ schema: 'toolwharf/mcp@1', name: 'notes', version: '1.0.0' },
    ...{ command: 'node', args: ['server.mjs'], env: { MODE: 'fast' }, ...members },
  };
  bench.write({ 'notes/toolwharf-mcp.json': JSON.stringify(manifest), 'notes/server.mjs': server });
  return join(bench.packages, 'notes');
}

async function answerOf(session: Session, tool: string, args: JsonObject = {}) {
  const answer = await session.call({ tool: `notes/${tool}`, arguments: args });
  if (answer.status !== 'ok') throw new Error(`${tool}: ${JSON.stringify(answer)}`);
  const { result } = answer;
  return typeof result === 'string' && result.startsWith('{') ? JSON.parse(result) : result;
}

describe('a server at a path', () => {
  test('has a home folder that lasts, its settings and 4,096 open files', async () => {
    write();
    const session = await bench.session();
    const seen = await answerOf(session, 'see');
    expect(seen).toMatchObject({ mode: 'fast', openFiles: 4096, saved: [], home: '/toolwharf/data' });
    await answerOf(session, 'save');
    await session.close();
    const other = await bench.session({ principal: 'other' });
    expect((await answerOf(other, 'see')).saved).toEqual(['note.txt']);
  });

  test('gets the number of open files that the operator set', async () => {
    write();
    const session = await bench.session({ policy: { limits: { openFiles: 200 } } });
    expect((await answerOf(session, 'see')).openFiles).toBe(200);
  });

  test('has more processes than a single call, or as many as the operator set', async () => {
    write();
    const session = await bench.session();
    expect(await answerOf(session, 'many', { count: 100 })).toBe('100');
    await session.close();
    const limited = await bench.session({ policy: { limits: { processes: 64 } } });
    expect(Number(await answerOf(limited, 'many', { count: 100 }))).toBeLessThan(64);
  });

  test('sees a folder that its manifest names only with a grant for it', async () => {
    write({ args: ['server.mjs', join(outside, 'a.txt')], files: { read: [outside] } });
    const without = await bench.session();
    expect((await answerOf(without, 'see')).found).toEqual(['nothing']);
    await without.close();
    const granted = await bench.session({ allow: [`notes=read:${outside}`] });
    expect((await answerOf(granted, 'see')).found).toEqual(['from outside']);
  });
});

describe('an installed server', () => {
  async function install(allow: readonly string[], members: JsonObject) {
    const source = write(members);
    const session = await bench.session({ directories: [], accept: null });
    const plan = await session.installations.plan({ source, allow });
    const change = await session.installations.install({ source, allow, agree: plan.digest, by: 'operator' });
    return { plan, change, session };
  }

  test('is started as its smoke test, and its folders are what was agreed to', async () => {
    const { plan, change, session } = await install([`read:${outside}`], {
      args: ['server.mjs', join(outside, 'a.txt')],
      files: { read: [outside] },
    });
    expect(plan).toMatchObject({
      requires: [`read:${outside}`],
      agreed: [`read:${outside}`],
      grants: [],
      permissions: { folders: [`read:${outside}`], filesystem: 'none' },
      smoke: 'starts it and lists its tools',
    });
    expect(change.steps.find((it) => it.name === 'smoke')?.status).toBe('done');
    expect((await answerOf(session, 'see')).found).toEqual(['from outside']);
    expect(await answerOf(session, 'change', { path: join(outside, 'a.txt') })).toContain('EROFS');
    expect((await answerOf(session, 'see')).found).toEqual(['from outside']);
  });

  test('changes a folder that it may write to', async () => {
    const { session } = await install([], { args: ['server.mjs'], files: { write: [outside] } });
    expect(await answerOf(session, 'change', { path: join(outside, 'b.txt') })).toContain('changed');
  });

  test('that does not start is not installed, in its own words', async () => {
    bench.write({ 'notes/broken.mjs': 'console.error("no license file"); process.exit(3);' });
    await expect(install([], { args: ['broken.mjs'] })).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('no license file'),
    });
  });

  test('needs agreement for a folder that an update adds', async () => {
    const { session } = await install([], {});
    write({ version: '1.1.0', files: { read: [outside] } });
    const plan = await session.installations.plan({ package: 'notes' });
    expect(plan.changes?.breaking).toEqual([`it may use a folder of this machine: read ${outside}`]);
  });
});
