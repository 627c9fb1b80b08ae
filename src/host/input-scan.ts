import { HostError } from '../model/host-error.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Tool } from '../model/tool.js';
import type { Finding } from '../policy/scan/redact.js';
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
  const found = await secretIn(of, tool, input, scan);
  if (found === undefined) return;
  throw new HostError('guardrail', `the arguments of ${of.id}/${tool.name} hold ${nameOf(found)}`, {
    hint:
      found.kind === 'value'
        ? 'leave it out: values of the vault go to the package they were set for, and to no other'
        : 'a tool that can pass it on gets keys from the vault only: toolwharf secret set PACKAGE SLOT',
  });
}

/** The same for what somebody answers to a tool that asks: in words, or undefined where it may have it. */
export async function secretInAnswer(
  of: Package,
  tool: Tool,
  answer: Json,
  scan: CallScan,
): Promise<string | undefined> {
  const found = await secretIn(of, tool, answer, scan);
  return found === undefined ? undefined : nameOf(found);
}

async function secretIn(of: Package, tool: Tool, given: Json, scan: CallScan): Promise<Finding | undefined> {
  const findings = await scan.foreign(given);
  const value = findings.find((it) => it.kind === 'value');
  if (value !== undefined || !canPassOn(of, tool)) return value;
  return findings.find((it) => it.kind === 'pattern');
}

function nameOf({ kind, name }: Finding): string {
  return kind === 'value' ? `the secret ${name}` : `what looks like a key (${name})`;
}

function canPassOn(of: Package, tool: Tool): boolean {
  const { network, filesystem } = of.permissions;
  if (tool.action?.kind === 'prompt' || tool.action?.kind === 'compose') return false;
  if (tool.action?.kind === 'http' || tool.action?.kind === 'upstream') return true;
  return tool.effect !== 'none' || network.kind !== 'none' || filesystem === 'read-write';
}

/** The same for what a program is asked for that is no call. Nobody who asks has a value of the vault to give, not even its own. */
export async function refuseSecretsIn(name: string, asked: Json, scan: CallScan): Promise<void> {
  const [found] = await scan.secretsIn(asked);
  if (found === undefined) return;
  throw new HostError('guardrail', `what ${name} is asked for holds ${nameOf(found)}`, {
    hint: 'leave it out: programs get keys from the vault only',
  });
}
