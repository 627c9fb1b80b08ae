import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { shellQuote } from '../../model/shell-quote.js';
import { canUse, firstImpassableFolder, type SandboxUser } from '../../sandbox/path-access.js';
import type { Keychain } from '../../secrets/keychain.js';
import { MovedFileRows } from '../../store/moved-files.js';
import { openDatabase } from '../../store/sqlite/sqlite-database.js';
import { lockState } from '../../store/sqlite/state-lock.js';
import { hasOperatorPin } from '../../store/sqlite/stored-state.js';
import type { AuditLocations, Check } from '../host.js';
import { warningsOfInstalled } from '../packages/installed-warnings.js';
import { checkAudit } from './audit.js';
import { checkMissingState } from './missing-state.js';
import { releaseChecks } from './releases.js';
import { checkUnfinishedChanges } from './unfinished-changes.js';
import { checkVaultKey } from './vault.js';

/** Checks the state directory. Creates none, and does not open the database while a host uses it. */
export async function checkState(
  state: string,
  keychain: Keychain | null,
  audit?: AuditLocations,
): Promise<readonly Check[]> {
  const id = 'state';
  const stats = statOf(state);
  if (stats === undefined) return [checkMissingState(state)];
  const fail = (message: string, fix: string): Check[] => [{ id, status: 'fail', message, fix }];
  if (!stats.isDirectory()) return fail(`${state} is not a folder`, 'use another one with --state');
  if (stats.uid !== process.getuid?.())
    return fail(`${state} belongs to another user`, 'use another one with --state');
  if ((stats.mode & 0o022) !== 0)
    return fail(`other users may write to ${state}`, `chmod go-w ${shellQuote(state)}`);
  if (!isWritable(state)) return fail(`you cannot write to ${state}`, `chmod u+rwx ${shellQuote(state)}`);
  const checks: Check[] = [
    { id, status: 'ok', message: `${state} belongs to you, and no other user may write to it` },
    await checkVaultKey(state, keychain),
    checkPin(state),
  ];
  return [...checks, ...(await checkDatabase(state, audit))];
}

/** Without a PIN, every program of this user can approve calls. */
function checkPin(state: string): Check {
  const id = 'pin';
  try {
    return pinCheck(hasOperatorPin(state));
  } catch (error) {
    const message = `cannot read whether a PIN is set: ${error instanceof Error ? error.message : error}`;
    return { id, status: 'fail', message, fix: 'toolwharf pin status' };
  }
}

export function pinCheck(isSet: boolean): Check {
  const id = 'pin';
  if (isSet) return { id, status: 'ok', message: "approving a call needs the operator's PIN" };
  const message =
    'no PIN is set: every program of this user can approve calls, and approvals count as unverified';
  return { id, status: 'warn', message, fix: 'toolwharf pin set' };
}

async function checkDatabase(state: string, audit: AuditLocations | undefined): Promise<readonly Check[]> {
  if (!existsSync(join(state, 'toolwharf.db')))
    return [
      { id: 'database', status: 'ok', message: 'there is no database yet; the first command creates it' },
    ];
  let lock: ReturnType<typeof lockState>;
  try {
    lock = lockState(state);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    // A host that uses the database proves that it opens.
    if (error.code === 'state_locked')
      return [
        { id: 'database', status: 'ok', message: `a host is running: ${error.message}` },
        await checkAudit(state, audit),
        ...checkUnfinishedChanges(state, true),
      ];
    return [failedCheck('database', error)];
  }
  try {
    const database = openDatabase(state);
    try {
      const off = (await database.selectFrom('disabled_package').select('package').execute()).map(
        (it) => it.package,
      );
      const moved = await new MovedFileRows(database).list();
      return [
        { id: 'database', status: 'ok', message: 'the database opens' },
        await checkAudit(state, audit),
        ...checkUnfinishedChanges(state, false),
        ...(off.length === 0 ? [] : [disabledPackages(off)]),
        ...(moved.length === 0 ? [] : [movedFiles(moved.map((it) => it.path))]),
        ...releaseChecks(await warningsOfInstalled(database)),
      ];
    } finally {
      await database.destroy();
    }
  } catch (error) {
    if (error instanceof HostError) return [failedCheck('database', error)];
    const message = `the database in ${state} cannot be read: ${error instanceof Error ? error.message : error}`;
    return [{ id: 'database', status: 'fail', message, fix: 'use another state directory with --state' }];
  } finally {
    lock.release();
  }
}

export function disabledPackages(ids: readonly string[]): Check {
  const sorted = [...ids].sort();
  const message = `disabled packages: ${sorted.join(', ')}`;
  return { id: 'packages', status: 'warn', message, fix: `toolwharf enable ${sorted[0]}` };
}

export function movedFiles(paths: readonly string[]): Check {
  const rest = paths.length > 3 ? ` and ${paths.length - 3} more` : '';
  const message = `files that steer other programs appeared during calls and were moved aside: ${paths.slice(0, 3).join(', ')}${rest}`;
  return { id: 'quarantine', status: 'warn', message, fix: 'toolwharf quarantine' };
}

function failedCheck(id: string, error: HostError): Check {
  return {
    id,
    status: 'fail',
    message: error.message,
    ...(error.hint === undefined ? {} : { fix: error.hint }),
  };
}

/** Whether sandboxed processes, which may run as another user, can use a mounted folder. */
export function checkRoots(roots: readonly string[], user: SandboxUser, home: string): readonly Check[] {
  return roots.map((root): Check => {
    const id = 'roots';
    if (statOf(root) === undefined)
      return { id, status: 'warn', message: `${root} does not exist`, fix: 'use another path' };
    const blocked = firstImpassableFolder(root, user);
    if (blocked === undefined && canUse(root, user, false))
      return { id, status: 'ok', message: `${root} can be mounted for tools` };
    const closed = blocked ?? root;
    const message = `tools run as user ${user.uid}, who cannot enter ${closed}`;
    // A home folder is closed on purpose; suggest a command only for other folders.
    const fix =
      closed === home
        ? 'run Toolwharf as an ordinary user, or use a folder outside your home folder'
        : `chmod o+rx ${shellQuote(closed)}`;
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
