import type { Plan } from '../../host/host.js';
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
  if (!terminal.stdinIsTerminal || args.has('no-input') || args.has('json'))
    throw new HostError('approval_required', `nobody agreed to the plan for ${plan.package.id}`, {
      hint: `agree to exactly this plan: --agree ${plan.digest}`,
    });
  return terminal.confirm(plan.operation === 'update' ? 'Update it?' : 'Install it?');
}
