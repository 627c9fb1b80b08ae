import type { LockPlan, Plan } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import type { Arguments } from './command/command.js';
import type { Terminal } from './terminal/terminal.js';

/**
 * Whether somebody agreed to a plan: by its digest, by naming everything it asks for with --yes, or at the terminal.
 * False: the person said no. Throws if nobody can be asked.
 */
export async function agreesToPlan(plan: Plan, args: Arguments, terminal: Terminal): Promise<boolean> {
  const digest = args.value('agree');
  if (digest !== undefined) {
    if (digest === plan.digest) return true;
    throw new HostError('integrity', `the plan is ${plan.digest} now, not ${digest}`, {
      hint: 'look at what changed: toolwharf plan SOURCE',
    });
  }
  const missing = plan.requires.filter((it) => !plan.agreed.includes(it));
  const breaking = plan.changes?.breaking ?? [];
  if (args.has('yes')) {
    if (missing.length === 0 && breaking.length === 0) return true;
    throw new HostError(
      'approval_required',
      missing.length > 0
        ? `${plan.package.id} asks for more than --yes agrees to: ${missing.join(', ')}`
        : `the update of ${plan.package.id} changes what it may do or says: ${breaking.join('; ')}`,
      {
        hint:
          missing.length > 0
            ? `name it: ${missing.map((it) => `--allow ${it}`).join(' ')}; or agree to the whole plan: --agree ${plan.digest}`
            : `agree to exactly this plan: --agree ${plan.digest}`,
      },
    );
  }
  if (!terminal.stdinIsTerminal || args.has('no-input') || args.has('json')) {
    const exactly = `agree to exactly this plan: --agree ${plan.digest}`;
    const canSayYes = missing.length === 0 && breaking.length === 0;
    throw new HostError('approval_required', `nobody agreed to the plan for ${plan.package.id}`, {
      hint: canSayYes ? `it asks for nothing, so --yes is enough; or ${exactly}` : exactly,
    });
  }
  return terminal.confirm(plan.operation === 'update' ? 'Update it?' : 'Install it?');
}

/**
 * The same for a lock file: one agreement for all its packages. The file itself does not count, so what it grants must
 * be named.
 */
export async function agreesToLockPlan(
  { digest, plans, file }: LockPlan,
  allow: readonly string[],
  args: Arguments,
  terminal: Terminal,
): Promise<boolean> {
  const named = args.value('agree');
  if (named !== undefined) {
    if (named === digest) return true;
    throw new HostError('integrity', `the digest of ${file} is ${digest} now, not ${named}`, {
      hint: 'look at what changed: toolwharf plan',
    });
  }
  const whole = `agree to exactly this lock file: --agree ${digest}`;
  if (args.has('yes')) {
    const asked = new Set(plans.flatMap((it) => [...it.requires, ...it.grants]));
    const missing = [...asked].filter((it) => !allow.includes(it)).sort();
    const breaking = plans.filter((it) => (it.changes?.breaking.length ?? 0) > 0).map((it) => it.package.id);
    if (missing.length === 0 && breaking.length === 0) return true;
    throw new HostError(
      'approval_required',
      missing.length > 0
        ? `the lock file asks for more than --yes agrees to: ${missing.join(', ')}`
        : `the lock file changes what these packages may do or say: ${breaking.join(', ')}`,
      {
        hint:
          missing.length > 0
            ? `name it: ${missing.map((it) => `--allow ${it}`).join(' ')}; or ${whole}`
            : whole,
      },
    );
  }
  if (!terminal.stdinIsTerminal || args.has('no-input') || args.has('json'))
    throw new HostError('approval_required', `nobody agreed to ${file}`, { hint: whole });
  return terminal.confirm(plans.length === 1 ? 'Install it?' : `Install these ${plans.length} packages?`);
}
