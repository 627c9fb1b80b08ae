// An agent that does what a mail tells it. It runs twice: as the host is by default, and with taint off.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from 'toolwharf';

const bank = 'http://127.0.0.1:8765/payments';
const payments = async () => (await (await fetch(bank)).json()).length;
const state = mkdtempSync(join(tmpdir(), 'toolwharf-tour-'));
const host = await createHost({ state });
try {
  for (const mode of ['standard', 'off']) {
    const session = await host.session({
      directories: ['docs/tour/bills'],
      allow: ['net:127.0.0.1:8765'],
      policy: { taint: { mode } },
      sessionName: mode,
    });
    const mail = await session.call({ tool: 'bills/read_mail', arguments: {} });
    if (mail.status !== 'ok') {
      console.error('the mail cannot be read; start the server of step 2 first: node docs/tour/server.mjs');
      process.exitCode = 1;
      break;
    }
    console.log(`mode ${mode}\n  the mail:   ${mail.result.text}`);
    const [account] = /[A-Z]{2}\d{20}/.exec(mail.result.text);
    const before = await payments();
    const answer = await session.call({ tool: 'bills/pay', arguments: { account, amount: 250 } });
    console.log(`  the agent:  pays 250 to ${account}: ${answer.status}`);
    if (answer.status === 'confirmation_required') {
      const { token } = answer.confirmation;
      const { evidence } = await host.approvals.get(token);
      for (const it of evidence) if (it.kind === 'taint') console.log(`  the person: ${it.text}`);
      await host.approvals.deny(token, 'Ada', 'My bank account of the power company did not change.');
    }
    console.log(`  the bank:   ${(await payments()) - before} payments`);
  }
} finally {
  await host.close();
  rmSync(state, { recursive: true, force: true });
}
