// SECURITY.md: "The kill switch stops everything". `kill all` ends extensions and MCP servers too, even
// if they ignore signals.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { running, sandboxed } from '../../support/processes.js';
import { knownEffectsOptions, main, temporaryFolder, toolwharf, until } from '../../support/toolwharf.js';
import { crew, type Manner, type Protocol } from '../../support/upstreams/crew.mjs';
import { failureOf, resultOf, workbench } from '../../support/workbench.js';

const protocols: readonly Protocol[] = ['nexo', 'mcp'];

function packages(...manners: readonly Manner[]): Record<string, string> {
  const all = manners.flatMap((manner) => protocols.map((it) => crew(it, `${it}-${manner}`, manner)));
  return Object.assign({}, ...all);
}

const programs = (root: number) => sandboxed(root).filter((it) => it.name.startsWith('python3'));
const act = (id: string, given = {}) => ({ tool: `${id}/act`, arguments: given });

test('kill all ends extensions and servers during calls and during start', async () => {
  const bench = await workbench(packages('good', 'stubborn'));
  try {
    const session = await bench.session();
    const ids = protocols.flatMap((it) => [`${it}-good`, `${it}-stubborn`]);
    for (const id of ids)
      expect(await resultOf(session.call(act(id, { text: id })))).toMatchObject({ text: id });
    const hung = ids.map((id) => failureOf(session.call(act(id, { hang: true }))));
    // These never answer, so a session that starts them waits.
    const mute = Object.entries(packages('mute')).map(([name, text]) => [`../mute/${name}`, text]);
    bench.write(Object.fromEntries(mute));
    const late = bench.host.session({ directories: [join(bench.path, 'mute')] });
    const listing = late.then((it) => it.tools());
    await until(() => running().length === 6);
    const from = performance.now();
    const killed = bench.host.kills.set('all', 'tester');
    await until(() => sandboxed(process.pid).length === 0, 2000);
    expect(performance.now() - from).toBeLessThan(2000);
    expect((await Promise.all(hung)).map((it) => it.code)).toEqual(ids.map(() => 'killed'));
    expect(await killed).toMatchObject({ changed: true, ended: ids.length });
    expect(await listing).toEqual([]);
    // They are not started again, neither for a call nor to list their tools.
    const fresh = await bench.host.session({ directories: [bench.packages], principal: 'third' });
    expect(await fresh.tools()).toEqual([]);
    expect(await failureOf(fresh.call(act('nexo-good')))).toMatchObject({ code: 'killed' });
    expect(sandboxed(process.pid)).toEqual([]);
    expect(bench.bugs).toEqual([]);
  } finally {
    await bench.close();
  }
}, 40_000);

test('control: the same programs take longer to stop in the normal way', async () => {
  const bench = await workbench(packages('stubborn'));
  const session = await bench.session();
  for (const it of protocols) await resultOf(session.call(act(`${it}-stubborn`)));
  const from = performance.now();
  await bench.close();
  expect(performance.now() - from).toBeGreaterThan(2000);
  expect(sandboxed(process.pid)).toEqual([]);
}, 40_000);

test('the command toolwharf kill all ends the programs of a serving host', async () => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'packages');
  for (const [name, text] of Object.entries(packages('stubborn'))) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  const state = ['--state', join(folder.path, 'state')];
  const known = knownEffectsOptions(folder.path);
  const args = [main, 'serve', path, '--no-http', '--json', ...state];
  const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const over = new Promise((resolve) => host.once('close', resolve));
  try {
    await new Promise((resolve) => host.stdout.once('data', resolve));
    const pid = host.pid as number;
    for (const it of protocols) {
      const called = await toolwharf(['call', join(path, `${it}-stubborn`), 'act', '{}', ...state, ...known]);
      expect(called, called.stderr).toMatchObject({ code: 0 });
    }
    expect(programs(pid).length).toBeGreaterThanOrEqual(2);
    const killed = await toolwharf(['kill', 'all', ...state]);
    expect(killed, killed.stderr).toMatchObject({ code: 0 });
    await until(() => sandboxed(pid).length === 0, 1000);
  } finally {
    host.kill();
    await over;
    folder.remove();
  }
}, 60_000);
