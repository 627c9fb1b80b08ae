import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { canUse, obstacle, type User } from '../../sandbox/access.js';
import type { Keychain } from '../../secrets/keychain.js';
import { checkpointPlaces } from '../../store/checkpoints.js';
import { openDatabase } from '../../store/database.js';
import { lockState } from '../../store/lock.js';
import { hasOperatorPin } from '../../store/operator-pin.js';
import { StoredAuditLog } from '../../store/stored-audit-log.js';
import type { Check } from '../host.js';
import { checkFuture } from './future-state.js';
import { checkKey } from './vault.js';

/** Looks at the state directory without making one, and never beside a host that has it. */
export async function checkState(state: string, keychain: Keychain | null): Promise<readonly Check[]> {
  const id = 'state';
  const found = statOf(state);
  if (found === undefined) return [checkFuture(state)];
  const fail = (message: string, fix: string): Check[] => [{ id, status: 'fail', message, fix }];
  if (!found.isDirectory()) return fail(`${state} is not a folder`, 'name another one with --state');
  if (found.uid !== process.getuid?.())
    return fail(`${state} belongs to another user`, 'name another one with --state');
  if ((found.mode & 0o022) !== 0) return fail(`others may write to ${state}`, `chmod go-w ${quoted(state)}`);
  if (!isWritable(state)) return fail(`${state} cannot be written`, `chmod u+rwx ${quoted(state)}`);
  const checks: Check[] = [
    { id, status: 'ok', message: `${state} is yours, and nobody else may write to it` },
    await checkKey(state, keychain),
    checkPin(state),
  ];
  return [...checks, ...(await checkDatabase(state))];
}

/** Whether deciding needs more than being a program of this user. */
function checkPin(state: string): Check {
  const id = 'pin';
  try {
    if (hasOperatorPin(state))
      return { id, status: 'ok', message: 'approving needs the PIN of the operator' };
  } catch (error) {
    const message = `whether a PIN is set cannot be read: ${error instanceof Error ? error.message : error}`;
    return { id, status: 'fail', message, fix: 'toolwharf pin status' };
  }
  const message = 'no PIN is set: every program of this user can approve calls, and they count as unverified';
  return { id, status: 'warn', message, fix: 'toolwharf pin set' };
}

async function checkDatabase(state: string): Promise<readonly Check[]> {
  if (!existsSync(join(state, 'toolwharf.db')))
    return [
      { id: 'database', status: 'ok', message: 'there is no database yet; the first command makes it' },
    ];
  let lock: ReturnType<typeof lockState>;
  try {
    lock = lockState(state);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    // The host that has it is the proof that it opens; its record is asked for from that host.
    if (error.code === 'state_locked')
      return [{ id: 'database', status: 'ok', message: `a host runs here: ${error.message}` }];
    return [refusal('database', error)];
  }
  try {
    const database = openDatabase(state);
    try {
      const record = StoredAuditLog.open(state, checkpointPlaces(state));
      const verdict = await record.verify().finally(() => record.close());
      const off = (await database.selectFrom('switched_off').select('package').execute()).map(
        (it) => it.package,
      );
      return [
        { id: 'database', status: 'ok', message: 'the database opens' },
        verdict.ok
          ? { id: 'audit', status: 'ok', message: `the record is whole: ${verdict.entries} lines` }
          : {
              id: 'audit',
              status: 'fail',
              message: `the record was changed: ${verdict.problem}`,
              fix: 'toolwharf audit verify',
            },
        ...(off.length === 0 ? [] : [switchedOff(off)]),
      ];
    } finally {
      await database.destroy();
    }
  } catch (error) {
    if (error instanceof HostError) return [refusal('database', error)];
    const message = `the database in ${state} cannot be read: ${error instanceof Error ? error.message : error}`;
    return [{ id: 'database', status: 'fail', message, fix: 'name another state directory with --state' }];
  } finally {
    lock.release();
  }
}

function switchedOff(ids: readonly string[]): Check {
  const sorted = [...ids].sort();
  const message = `switched off: ${sorted.join(', ')}`;
  return { id: 'packages', status: 'warn', message, fix: `toolwharf enable ${sorted[0]}` };
}

function refusal(id: string, error: HostError): Check {
  return {
    id,
    status: 'fail',
    message: error.message,
    ...(error.hint === undefined ? {} : { fix: error.hint }),
  };
}

/** Whether confined processes, which may be another user, could be lent a folder. */
export function checkRoots(roots: readonly string[], user: User, home: string): readonly Check[] {
  return roots.map((root): Check => {
    const id = 'roots';
    if (statOf(root) === undefined)
      return { id, status: 'warn', message: `there is nothing at ${root}`, fix: 'name another path' };
    const wall = obstacle(root, user);
    if (wall === undefined && canUse(root, user, false))
      return { id, status: 'ok', message: `${root} can be lent to tools` };
    const closed = wall ?? root;
    const message = `tools run as user ${user.uid}, who cannot enter ${closed}`;
    // A home folder is closed for a reason; only what lies outside of one is opened by a command.
    const fix =
      closed === home
        ? 'run Toolwharf as an ordinary user, or use a folder outside your home folder'
        : `chmod o+rx ${quoted(closed)}`;
    return { id, status: 'warn', message, fix };
  });
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
