import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { lastLines } from '../../model/last-lines.js';
import type { Package } from '../../model/package.js';
import { credentialOf } from '../../run/http.js';
import type { PackageRunner } from '../catalog/package-runner.js';

/** What became of a kill switch. `manual`: a person must do the steps on that page. */
export type KillSwitchOutcome =
  | { readonly status: 'done'; readonly detail: string }
  | { readonly status: 'none' }
  | { readonly status: 'manual'; readonly instructionsUrl: string }
  | { readonly status: 'failed'; readonly detail: string };

const timeoutMs = 60_000;

/** Uses the kill switch of a package. Using it twice is safe: something that is gone already counts as done. */
export async function pullKillSwitch(
  runner: PackageRunner,
  signal: CancelSignal,
): Promise<KillSwitchOutcome> {
  const { killSwitch } = runner.package;
  if (killSwitch === undefined) return { status: 'none' };
  if (killSwitch.kind === 'manual') return { status: 'manual', instructionsUrl: killSwitch.instructionsUrl };
  try {
    return killSwitch.kind === 'url'
      ? await sendDelete(runner, killSwitch.url, signal)
      : await runProgram(runner, killSwitch.program, signal);
  } catch (error) {
    if (!(error instanceof HostError) || signal.aborted) throw error;
    const hint = error.hint === undefined ? '' : `; ${error.hint}`;
    return { status: 'failed', detail: await runner.cleanText(`${error.message}${hint}`) };
  }
}

/** The names of the secrets that a kill switch needs. */
export function killSwitchSecrets({ killSwitch, slots }: Package): readonly string[] {
  const secrets = slots.filter((it) => it.secret).map((it) => it.name);
  switch (killSwitch?.kind) {
    case 'url':
      return secrets.length === 1 ? secrets : [];
    case 'program':
      return slots.map((it) => it.name);
    default:
      return [];
  }
}

async function sendDelete(
  runner: PackageRunner,
  url: string,
  signal: CancelSignal,
): Promise<KillSwitchOutcome> {
  const { slots } = runner.package;
  const used = killSwitchSecrets(runner.package);
  const headers = credentialOf(used[0], slots, await runner.values());
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
