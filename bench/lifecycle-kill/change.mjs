// One change of an installation in a process of its own, which may be killed at any instant. The change is one line of
// its input, so that the code is loaded before. Says `begun` when it opens the host, `ready` when the change starts, `step NAME`
// at each step, and `done` at its end.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openBench } from './host.mjs';

const { value: change } = await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
// The next change may never come.
if (change === undefined) process.exit(0);
const { operation, folder, values } = JSON.parse(change);
const say = (line) => writeSync(1, `${line}\n`);
say('begun');
const by = 'operator';
const { host, session } = await openBench(folder);
const { installations } = session;
const onProgress = ({ step }) => say(`step ${step}`);
say('ready');
switch (operation) {
  case 'install':
  case 'update': {
    const wanted = operation === 'update' ? { package: 'counter' } : { source: `${folder}/package` };
    const { digest } = await installations.plan({ ...wanted, onProgress });
    await installations.install({ ...wanted, agree: digest, by, values, onProgress });
    break;
  }
  case 'rollback':
  case 'remove':
    await installations[operation]({ package: 'counter', by });
    break;
  case 'revoke':
    await installations.revoke({ package: 'counter', by, manualStepsDone: true });
    break;
  case 'open':
}
say('done');
await host.close();
process.stdin.destroy();
