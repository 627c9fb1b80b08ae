// SECURITY.md: "The kill switch stops everything". It voids approvals, and lifting it does not restore
// them. A call whose nested call is held gets its approval back, but not if the call was stopped meanwhile.
import { expect, test } from 'vitest';
import { systemSandbox } from '../../../src/sandbox/system-sandbox.js';
import { temporaryFolder } from '../../support/toolwharf.js';
import { findagent, pythonTool, workbench } from '../../support/workbench.js';

const outer = findagent('Outer', {
  tools: [
    {
      name: 'through',
      description: 'Call a tool of another package.',
      input_schema: { type: 'object', properties: {} },
      action: { type: 'compose', agent: 'ask', tool: 'ask' },
    },
  ],
});

test.each([true, false])(
  'an approval is restored after a nested hold, but not if its tool was stopped meanwhile (stopped: %s)',
  async (stopped) => {
    const folder = temporaryFolder();
    const real = systemSandbox({ pidFolder: folder.path });
    let arrived = () => {};
    let gate: Promise<void> | undefined;
    // The nested call probes the sandbox before it is held; the test makes it wait there.
    const sandbox = {
      ...real,
      probe: async () => {
        arrived();
        await gate;
        return real.probe();
      },
    };
    const bench = await workbench(
      {
        'ask.py': pythonTool({ name: 'ask', humanConfirm: true, body: ['return {"said": text}'] }),
        'outer/findagent.json': outer,
      },
      { sandbox },
    );
    try {
      const { approvals, kills } = bench.host;
      const rule = { tool: 'outer', approval: 'ask', origin: { kind: 'session' } } as const;
      const session = await bench.session({ policy: { rules: [rule] } });
      const call = () => session.call({ tool: 'outer/through', arguments: {} });
      const held = await call();
      if (held.status !== 'confirmation_required') throw new Error(JSON.stringify(held));
      const { token } = held.confirmation;
      await approvals.approve(token, 'tester');
      let release = () => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      const waits = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const answer = call();
      await waits;
      expect(await approvals.get(token)).toMatchObject({ state: 'executing' });
      if (stopped) {
        await kills.set('outer/through', 'tester');
        await kills.lift('outer/through', 'tester');
      }
      release();
      expect(await answer).toMatchObject(
        stopped ? { error: { code: 'killed' } } : { confirmation: { tool: 'ask/ask' } },
      );
      expect(await approvals.get(token)).toMatchObject({ state: stopped ? 'executed' : 'approved' });
    } finally {
      await bench.close();
      folder.remove();
    }
  },
);
