// More calls than the host takes: the surplus is refused at once with a clear word, and nothing is lost.
import { expect, test } from 'vitest';
import { until } from './toolwharf.js';
import { talos, workbench } from './workbench.js';

test('the thousand and first call is refused, and those that wait are answered', async () => {
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
    const refused = await Promise.race([
      Promise.all(many.slice(1000)),
      // The control: those that were taken have no answer yet.
      Promise.race(many.slice(0, 1000)).then(() => 'one of the first was answered'),
    ]);
    if (typeof refused === 'string') throw new Error(refused);
    for (const it of refused)
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
    // There is room again.
    expect(await call('kept/quick')).toMatchObject({ status: 'ok' });
    const lines = await bench.host.auditTail(10_000);
    const of = (kind: string) => new Set(lines.filter((it) => it.kind === kind).map((it) => it.body.callId));
    expect(of('intent').size).toBe(1001);
    expect(of('outcome')).toEqual(of('intent'));
    expect(of('refusal').size).toBe(100);
    expect(await bench.host.verifyAudit()).toMatchObject({ ok: true });
  } finally {
    await bench.close();
  }
});
