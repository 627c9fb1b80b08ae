import { HostError } from '../model/host-error.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Tool } from '../model/tool.js';
import type { CallScan } from './scanner.js';

/**
 * Keeps secrets out of arguments. A value that the vault holds for another package is refused always; what has the shape
 * of a provider's key, where the tool could pass it on or keep it. A pure computation may look at a key.
 */
export async function refuseSecrets(
  of: Package,
  tool: Tool,
  input: JsonObject,
  scan: CallScan,
): Promise<void> {
  const findings = await scan.foreign(input);
  const name = `${of.id}/${tool.name}`;
  const value = findings.find((it) => it.kind === 'value');
  if (value !== undefined) {
    throw new HostError('guardrail', `the arguments of ${name} hold the secret ${value.name}`, {
      hint: 'leave it out: values of the vault go to the package they were set for, and to no other',
    });
  }
  if (!canPassOn(of, tool)) return;
  const shape = findings.find((it) => it.kind === 'pattern' && !it.guess);
  if (shape === undefined) return;
  throw new HostError('guardrail', `the arguments of ${name} hold what looks like a key (${shape.name})`, {
    hint: 'a tool that can pass it on gets keys from the vault only: toolport secret set PACKAGE SLOT',
  });
}

function canPassOn(of: Package, tool: Tool): boolean {
  const { network, filesystem } = of.permissions;
  if (tool.action?.kind === 'prompt' || tool.action?.kind === 'compose') return false;
  if (tool.action?.kind === 'http' || tool.action?.kind === 'remote') return true;
  return tool.effect !== 'none' || network.kind !== 'none' || filesystem === 'read-write';
}

/** The same for what a program is asked for that is no call. Nobody who asks has a value of the vault to give, not even its own. */
export async function refuseSecretsIn(name: string, asked: Json, scan: CallScan): Promise<void> {
  const { findings } = await scan.clean(asked);
  const found = findings.find((it) => it.kind === 'value' || !it.guess);
  if (found === undefined) return;
  const what = found.kind === 'value' ? `the secret ${found.name}` : `what looks like a key (${found.name})`;
  throw new HostError('guardrail', `what ${name} is asked for holds ${what}`, {
    hint: 'leave it out: programs get keys from the vault only',
  });
}
