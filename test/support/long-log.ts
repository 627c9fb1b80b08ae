// An audit log with very many calls, written the way a host writes it.
import { mkdirSync } from 'node:fs';
import { openAuditLog } from '../../src/store/audit-opening.js';
import { checkpointPaths } from '../../src/store/checkpoints.js';
import { openDatabase } from '../../src/store/sqlite/sqlite-database.js';

const atOnce = 2000;

/** Writes `count` calls into a state directory that no host uses. Call `n` has the tool `desk/tool-n`, modulo ten. */
export async function writeCalls(state: string, count: number): Promise<void> {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const database = openDatabase(state);
  // One call each 30 milliseconds, up to now.
  let clock = Date.now() - count * 30;
  const { audit } = await openAuditLog(
    database,
    checkpointPaths(state),
    () => clock,
    () => 'a'.repeat(32),
  );
  for (let at = 0; at < count; at += atOnce) {
    const written = Array.from({ length: Math.min(atOnce, count - at) }, async (_, index) => {
      const number = at + index;
      clock += 30;
      const callId = `call_${String(number).padStart(8, '0')}`;
      audit.enqueue({
        kind: 'intent',
        body: { callId, tool: `desk/tool-${number % 10}`, principal: `http/agent-${number % 3}`, shape: {} },
      });
      const status = number % 50 === 7 ? 'error' : 'ok';
      await audit.append({ kind: 'outcome', body: { callId, status, durationMs: number % 97 } });
    });
    await Promise.all(written);
  }
  await audit.close();
  await database.destroy();
}
