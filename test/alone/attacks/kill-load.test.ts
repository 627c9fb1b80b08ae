// SECURITY.md: "The kill switch stops everything". `kill all` during many calls ends all processes within
// two seconds.
import { expect, test } from 'vitest';
import { sandboxed } from '../../support/processes.js';
import { until } from '../../support/toolwharf.js';
import { failureOf, pythonTool, talos, workbench } from '../../support/workbench.js';

const calls = 64;
const files = {
  'nap.py': pythonTool({
    name: 'nap',
    head: ['import subprocess, time'],
    // The child gets its own session, like a program that wants to outlive its caller.
    body: ['subprocess.Popen(["/usr/bin/sleep", "300"], start_new_session=True)', 'time.sleep(300)'],
  }),
  ...talos({
    id: 'kept',
    code: 'export const handlers = { hang() { return new Promise(() => {}); } };\n',
    functions: ['hang'],
  }),
};

test('kill all ends 64 running calls within two seconds', async () => {
  const bench = await workbench(files);
  try {
    const session = await bench.session();
    const answers = Array.from({ length: calls }, (_, index) =>
      failureOf(session.call({ tool: index % 2 === 0 ? 'nap/nap' : 'kept/hang', arguments: {} })),
    );
    // Control: without the kill switch, dozens of calls run.
    await until(
      () => sandboxed(process.pid).filter((it) => it.name.startsWith('python3')).length >= 24,
      25_000,
    );
    const from = performance.now();
    const killed = bench.host.kills.set('all', 'tester');
    const late = session.call({ tool: 'nap/nap', arguments: {} });
    await until(() => sandboxed(process.pid).length === 0, 2000);
    expect(performance.now() - from).toBeLessThan(2000);
    expect(new Set((await Promise.all(answers)).map((it) => it.code))).toEqual(new Set(['killed']));
    expect(await failureOf(late)).toMatchObject({ code: 'killed' });
    expect(await killed).toMatchObject({ changed: true, ended: calls });
    expect((await bench.host.verifyAudit()).ok).toBe(true);
    const entries = await bench.host.auditTail(10 * calls);
    const of = (kind: string) => entries.filter((it) => it.kind === kind).map((it) => it.body.callId);
    expect(of('outcome').toSorted()).toEqual(of('intent').toSorted());
    expect(bench.bugs).toEqual([]);
  } finally {
    await bench.close();
  }
}, 60_000);
