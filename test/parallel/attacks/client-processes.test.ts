// SECURITY.md: "Clients share no process". A tool leaves something in its process for the next client: a counter, a
// changed prototype, a file in its private folder for temporary files.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session, SessionOptions } from '../../../src/index.js';
import { serverPackage } from '../../support/server-package.js';
import { until } from '../../support/toolwharf.js';
import { resultOf, talos, type Workbench, workbench } from '../../support/workbench.js';

/** Counts the calls in this process, and reports the traces of earlier ones. */
const trace = `
import { existsSync, writeFileSync } from 'node:fs';
let calls = 0;
export function leaveTrace() {
  calls++;
  const seen = { calls, prototype: ({}).left === 'a trace', file: existsSync('/tmp/left') };
  Object.defineProperty(Object.prototype, 'left', { value: 'a trace', configurable: true });
  writeFileSync('/tmp/left', '');
  return seen;
}
`;
const server = `${trace.replaceAll('export ', '')}
on = {
  'tools/list': () => ({ tools: [{ name: 'go', description: 'Goes.', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify(leaveTrace()) }] }),
};`;

let bench: Workbench;
beforeEach(async () => {
  bench = await workbench({
    ...talos({
      id: 'kept',
      code: `${trace}\nexport const handlers = { go() { return leaveTrace(); } };\n`,
      functions: ['go'],
    }),
    ...serverPackage('desk', server),
  });
});
afterEach(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

const untouched = { calls: 1, prototype: false, file: false };
const open = (options: Partial<SessionOptions>) => bench.session({ principal: 'alice/mcp', ...options });

describe.each(['kept/go', 'desk/go'])('the process of %s', (tool) => {
  const go = async (session: Session) => {
    const result = await resultOf(session.call({ tool, arguments: {} }));
    return typeof result === 'string' ? JSON.parse(result) : result;
  };

  test('has no trace of another client of the same principal', async () => {
    const [first, second] = [await open({ client: 'one' }), await open({ client: 'two' })];
    expect(await go(first)).toEqual(untouched);
    expect(await go(second)).toEqual(untouched);
    // Control: a client sees the traces of its own earlier calls, because its process is kept.
    expect(await go(first)).toEqual({ calls: 2, prototype: true, file: true });
    expect(await go(await open({ client: 'one' }))).toEqual({ calls: 3, prototype: true, file: true });
  });

  test('has no trace of another principal', async () => {
    expect(await go(await open({ principal: 'alice/mcp/desk' }))).toEqual(untouched);
    expect(await go(await open({ principal: 'alice/mcp/editor' }))).toEqual(untouched);
  });

  test('has no trace of the same client in another workspace, although it uses no file there', async () => {
    const other = join(bench.path, 'other');
    mkdirSync(other, { mode: 0o777 });
    expect(await go(await open({}))).toEqual(untouched);
    expect(await go(await open({ root: other }))).toEqual(untouched);
    expect(await go(await open({}))).toMatchObject({ calls: 2 });
  });

  test('ends with the last session of its client', async () => {
    const sessions = [await open({ client: 'one' }), await open({ client: 'one' })];
    const stays = await open({ client: 'two' });
    for (const it of [...sessions, stays]) await go(it);
    await sessions[0]?.close();
    expect(await go(sessions[1] as Session)).toMatchObject({ calls: 3 });
    await sessions[1]?.close();
    await until(async () => tool !== 'kept/go' || (await bench.host.processes()).pooled === 1);
    expect(await go(await open({ client: 'one' }))).toEqual(untouched);
    expect(await go(stays)).toMatchObject({ calls: 2 });
  });
});
