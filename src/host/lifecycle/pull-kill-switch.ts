import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { lastLines } from '../../model/last-lines.js';
import type { Package } from '../../model/package.js';
import type { SlotValues } from '../../model/slot.js';
import { credentialOf } from '../../run/http.js';
import type { PackageRunner } from '../catalog/package-runner.js';

/** What became of a kill switch. `manual`: a person must do the steps on that page. */
export type KillSwitchOutcome =
  | { readonly status: 'done'; readonly detail: string }
  | { readonly status: 'none' }
  | { readonly status: 'manual'; readonly instructionsUrl: string }
  | { readonly status: 'failed'; readonly detail: string };

const timeoutMs = 60_000;

/**
 * Uses the kill switch of a package. Using it twice is safe: something that is gone already counts as done.
 * `credential`: which of several secrets a request is sent with.
 */
export async function pullKillSwitch(
  runner: PackageRunner,
  credential: string | undefined,
  signal: CancelSignal,
): Promise<KillSwitchOutcome> {
  const { killSwitch } = runner.package;
  if (killSwitch === undefined) return { status: 'none' };
  if (killSwitch.kind === 'manual') return { status: 'manual', instructionsUrl: killSwitch.instructionsUrl };
  try {
    return killSwitch.kind === 'url'
      ? await sendDelete(runner, killSwitch.url, credential, signal)
      : await runProgram(runner, killSwitch.program, signal);
  } catch (error) {
    if (!(error instanceof HostError) || signal.aborted) throw error;
    const hint = error.hint === undefined ? '' : `; ${error.hint}`;
    return { status: 'failed', detail: await runner.cleanText(`${error.message}${hint}`) };
  }
}

/** What the host does to use a kill switch; undefined if it does nothing itself. */
export function killSwitchWork({ killSwitch }: Package): string | undefined {
  switch (killSwitch?.kind) {
    case 'url':
      return `send DELETE to ${new URL(killSwitch.url).host}`;
    case 'program':
      return 'run its command';
    default:
      return undefined;
  }
}

/** The names of the values that another try of a kill switch needs. */
export function killSwitchValues(
  { killSwitch, slots }: Package,
  credential: string | undefined,
): readonly string[] {
  switch (killSwitch?.kind) {
    case 'url': {
      const secrets = slots.filter((it) => it.secret).map((it) => it.name);
      return credential !== undefined && secrets.includes(credential) ? [credential] : secrets;
    }
    case 'program':
      return slots.map((it) => it.name);
    default:
      return [];
  }
}

/** The secret that the request of a kill switch is sent with. Of several, somebody must name one. */
function credentialFor(pkg: Package, values: SlotValues, named: string | undefined): string | undefined {
  const secrets = pkg.slots.filter((it) => it.secret && values.has(it.name)).map((it) => it.name);
  const hint = `name one: toolwharf revoke ${pkg.id} --credential NAME; it has ${secrets.join(', ') || 'none'}`;
  if (named !== undefined && !secrets.includes(named))
    throw new HostError('usage', `${pkg.id} has no secret named ${named} with a value`, { hint });
  if (named === undefined && secrets.length > 1)
    throw new HostError('usage', `${pkg.id} has several secrets, and its kill switch is sent with one`, {
      hint,
    });
  return named ?? secrets[0];
}

async function sendDelete(
  runner: PackageRunner,
  url: string,
  named: string | undefined,
  signal: CancelSignal,
): Promise<KillSwitchOutcome> {
  const { slots } = runner.package;
  const values = await runner.values();
  const credential = credentialFor(runner.package, values, named);
  const used = credential === undefined ? [] : [credential];
  const headers = credentialOf(credential, slots, values);
  const { status, text } = await runner.request({
    ...{ method: 'DELETE', url, headers, slots: used, timeoutMs, signal },
  });
  const { host } = new URL(url);
  if (status >= 200 && status <= 299) return { status: 'done', detail: `${host} answered ${status}` };
  if (status === 404 || status === 410)
    return { status: 'done', detail: `${host} answered ${status}: nothing is left to revoke` };
  const said = text.trim() === '' ? '' : `: ${lastLines(text.trim(), 5)}`;
  return { status: 'failed', detail: await runner.cleanText(`${host} answered ${status}${said}`) };
}

async function runProgram(
  runner: PackageRunner,
  program: string,
  signal: CancelSignal,
): Promise<KillSwitchOutcome> {
  const { exitCode, stdout, stderr } = await runner.program(program, { timeoutMs, signal });
  if (exitCode === 0) return { status: 'done', detail: 'its command ended with exit code 0' };
  const words = (stderr.trim() === '' ? stdout : stderr).trim();
  const ended = exitCode === null ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
  const said = words === '' ? '' : `: ${lastLines(words, 5)}`;
  return { status: 'failed', detail: await runner.cleanText(`its command ${ended}${said}`) };
}
