// More calls than the host accepts: the surplus is denied at once with a clear message, and nothing is lost.
import { expect, test } from 'vitest';
import { until } from '../../support/toolwharf.js';
import { talos, workbench } from '../../support/workbench.js';

test('call 1001 is denied, and the calls that wait are answered', async () => {
  const bench = await workbench(
    talos({
      id: 'kept',
      code: 'export const handlers = { hang() { return new Promise(() => {}); }, quick() { return 1; } };\n',
      functions: ['hang', 'quick'],
    }),
  );
  try {
    const session = await bench.session();
    const call = (tool: string) => session.call({ tool, arguments: {} });
    const many = Array.from({ length: 1100 }, () => call('kept/hang'));
    const denied = await Promise.race([
      Promise.all(many.slice(1000)),
      // Control: the accepted calls have no answer yet.
      Promise.race(many.slice(0, 1000)).then(() => 'one of the first 1000 was answered'),
    ]);
    if (typeof denied === 'string') throw new Error(denied);
    for (const it of denied)
      expect(it).toMatchObject({
        status: 'denied',
        error: { code: 'rate_limited', message: expect.stringContaining('1000') },
      });
    const intents = async () =>
      (await bench.host.auditTail(10_000)).filter((it) => it.kind === 'intent').length;
    await until(async () => (await intents()) === 1000, 20_000);
    expect(await bench.host.kills.set('kept/hang', 'tester')).toMatchObject({ ended: 1000 });
    const answers = await Promise.all(many);
    expect(answers.filter((it) => 'error' in it && it.error?.code === 'killed')).toHaveLength(1000);
    // Further calls are accepted again.
    expect(await call('kept/quick')).toMatchObject({ status: 'ok' });
    const entries = await bench.host.auditTail(10_000);
    const of = (kind: string) =>
      new Set(entries.filter((it) => it.kind === kind).map((it) => it.body.callId));
    expect(of('intent').size).toBe(1001);
    expect(of('outcome')).toEqual(of('intent'));
    expect(of('refusal').size).toBe(100);
    expect(await bench.host.verifyAudit()).toMatchObject({ ok: true });
  } finally {
    await bench.close();
  }
});
