import { HostError } from '../../model/host-error.js';
import { hashPin, pinProblem, tryDelayMs } from '../../secrets/pin.js';
import { ApprovalQueue } from '../../store/approvals.js';
import type { Database } from '../../store/database.js';
import { OperatorPin } from '../../store/operator-pin.js';
import { SealedArgumentRows } from '../../store/sealed-arguments.js';
import { openDatabase } from '../../store/sqlite/sqlite-database.js';
import { lockState } from '../../store/sqlite/state-lock.js';
import { StandingRules } from '../../store/standing-rules.js';
import type { HostOptions } from '../options.js';
import { readableAnchorPlaces } from './anchor-places.js';
import { openHostAudit } from './host-audit.js';
import type { PinProtectedCounts, PinReset } from './operator-auth.js';

const reason = "the operator's PIN was reset";

/**
 * For a forgotten PIN. A program that runs as the operator could reset it too, so a reset must gain it nothing: it first
 * deletes everything that the PIN protects, as if the state directory had been deleted. Kills, disabled packages and the
 * audit log stay.
 */
export async function openPinReset(
  { state, audit: locations }: Pick<HostOptions, 'state' | 'audit'>,
  now: () => number,
): Promise<PinReset> {
  const lock = lockOrExplain(state);
  let database: Database | undefined;
  try {
    const opened = openDatabase(state);
    database = opened;
    // Only the folder: a reset needs no webhook, and no answer of a keychain.
    const places = readableAnchorPlaces(state, { ...locations, anchorKeychain: false }, null);
    const hostAudit = await openHostAudit({ state, database: opened, now, locations, places });
    const { audit } = hostAudit;
    const pin = new OperatorPin(opened, now, tryDelayMs);
    return {
      isSet: (await pin.get()) !== undefined,
      protectedCounts: await countProtected(opened, now),
      async reset(newPin, by) {
        const problem = pinProblem(newPin);
        if (problem !== undefined)
          throw new HostError('invalid_input', `this text cannot be a PIN: ${problem}`, {
            hint: 'nothing was deleted; choose another PIN',
          });
        const sealed = await hashPin(newPin);
        const deleted = { ...(await countProtected(opened, now)) };
        const who = { by, channel: 'terminal', verified: false };
        await audit.append({ kind: 'operator', body: { operation: 'pin reset', deleted, ...who } });
        await audit.flush();
        await deleteProtected(opened, now);
        // Last: after an interruption the old PIN is still in force, and protects less.
        await pin.put(sealed);
      },
      async close() {
        await hostAudit.close();
        await opened.destroy();
        lock.release();
      },
    };
  } catch (error) {
    await database?.destroy();
    lock.release();
    throw error;
  }
}

function lockOrExplain(state: string): ReturnType<typeof lockState> {
  try {
    return lockState(state);
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'state_locked') throw error;
    throw new HostError('state_locked', `${error.message}; the PIN can be reset only while no host runs`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

async function countProtected(database: Database, now: () => number): Promise<PinProtectedCounts> {
  const rules = await new StandingRules(database, now).list();
  const requests = await new ApprovalQueue(database, now).list(['proposed', 'approved']);
  const rows = async (table: 'secret' | 'token' | 'accepted_waiver' | 'endorsement') => {
    const counted = database.selectFrom(table).select((it) => it.fn.countAll().as('count'));
    return Number((await counted.executeTakeFirstOrThrow()).count);
  };
  return {
    values: await rows('secret'),
    tokens: await rows('token'),
    waivers: await rows('accepted_waiver'),
    endorsements: await rows('endorsement'),
    rules: rules.filter((it) => it.state === 'active').length,
    requests: requests.length,
    arguments: await new SealedArgumentRows(database).count(Number.MAX_SAFE_INTEGER),
  };
}

async function deleteProtected(database: Database, now: () => number): Promise<void> {
  await new ApprovalQueue(database, now).invalidate({}, reason);
  await new StandingRules(database, now).end({}, reason);
  await database.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('secret').execute();
    await transaction.deleteFrom('token').execute();
    // Sets stay: they only leave out. What was bound to a token ends with it.
    await transaction.deleteFrom('set_binding').where('kind', 'in', ['token', 'client']).execute();
    await transaction.deleteFrom('accepted_waiver').execute();
    await transaction.deleteFrom('endorsement').execute();
    // The key that signs notices: the PIN also protects reading it.
    await transaction.deleteFrom('host_key').where('name', '=', 'notices').execute();
  });
  await new SealedArgumentRows(database).forget(Number.MAX_SAFE_INTEGER);
}
