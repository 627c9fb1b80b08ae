import { HostError } from '../model/host-error.js';
import { pinProblem, sealPin, tryDelayMs } from '../secrets/pin.js';
import { ApprovalQueue } from '../store/approvals.js';
import { type Database, openDatabase } from '../store/database.js';
import { lockState } from '../store/lock.js';
import { OperatorPin } from '../store/operator-pin.js';
import { SealedArgumentRows } from '../store/sealed-arguments.js';
import { StandingRules } from '../store/standing-rules.js';
import { openHostAudit } from './host-audit.js';
import type { PinGuarded, PinReset } from './operator-auth.js';
import type { HostOptions } from './options.js';

const reason = 'the PIN of the operator was reset';

/**
 * For whoever forgot the PIN. A program that acts as the operator could ask for this too, so it must gain nothing by it:
 * all that the PIN let in or lets out is forgotten first, as if the state directory had been deleted. What keeps things
 * from running stays, and so does the record.
 */
export async function openPinReset(
  { state, audit: places }: Pick<HostOptions, 'state' | 'audit'>,
  now: () => number,
): Promise<PinReset> {
  const lock = locked(state);
  let database: Database | undefined;
  try {
    const opened = openDatabase(state);
    database = opened;
    const { audit } = await openHostAudit(state, opened, now, places);
    const pin = new OperatorPin(opened, now, tryDelayMs);
    return {
      isSet: (await pin.get()) !== undefined,
      guarded: await countOf(opened, now),
      async carryOut(fresh, by) {
        const problem = pinProblem(fresh);
        if (problem !== undefined)
          throw new HostError('invalid_input', `this cannot be the PIN: ${problem}`, {
            hint: 'nothing was forgotten; choose another one',
          });
        const sealed = await sealPin(fresh);
        const forgotten = { ...(await countOf(opened, now)) };
        const who = { by, channel: 'terminal', verified: false };
        await audit.append({ kind: 'operator', body: { act: 'pin reset', forgotten, ...who } });
        await audit.flush();
        await forget(opened, now);
        // Last: whoever is interrupted before this has the old PIN, and less to guard with it.
        await pin.put(sealed);
      },
      async close() {
        await audit.close();
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

function locked(state: string): ReturnType<typeof lockState> {
  try {
    return lockState(state);
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'state_locked') throw error;
    throw new HostError('state_locked', `${error.message}; a PIN is reset only while no host runs`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

async function countOf(database: Database, now: () => number): Promise<PinGuarded> {
  const rules = await new StandingRules(database, now).list();
  const requests = await new ApprovalQueue(database, now).list(['proposed', 'approved']);
  const rows = async (table: 'secret' | 'token') => {
    const counted = database.selectFrom(table).select((it) => it.fn.countAll().as('count'));
    return Number((await counted.executeTakeFirstOrThrow()).count);
  };
  return {
    values: await rows('secret'),
    tokens: await rows('token'),
    rules: rules.filter((it) => it.state === 'holds').length,
    requests: requests.length,
    arguments: await new SealedArgumentRows(database).count(Number.MAX_SAFE_INTEGER),
  };
}

async function forget(database: Database, now: () => number): Promise<void> {
  await new ApprovalQueue(database, now).invalidate({}, reason);
  await new StandingRules(database, now).end({}, reason);
  await database.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('secret').execute();
    await transaction.deleteFrom('token').execute();
    // Whoever sees it could sign notices of held calls.
    await transaction.deleteFrom('host_key').where('name', '=', 'notices').execute();
  });
  await new SealedArgumentRows(database).forget(Number.MAX_SAFE_INTEGER);
}
