import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import type { Tool } from '../../model/tool.js';
import type { Finding } from '../../policy/scan/redact-secrets.js';
import type { CallScan } from './secret-scanner.js';

/**
 * Rejects arguments that contain secrets. A vault value of another package is always rejected. Text that looks like a
 * provider's key is rejected where the tool could send or store it; a pure computation may see it.
 */
export async function assertNoForeignSecrets(
  pkg: Package,
  tool: Tool,
  input: JsonObject,
  scan: CallScan,
): Promise<void> {
  const finding = await secretIn(pkg, tool, input, scan);
  if (finding === undefined) return;
  throw new HostError(
    'guardrail',
    `the arguments of ${pkg.id}/${tool.name} contain ${describeFinding(finding)}`,
    {
      hint:
        finding.kind === 'value'
          ? 'remove it: a vault value goes only to the package it was set for'
          : 'remove it: this tool could send it on, so it gets keys only from the vault: toolwharf secret set PACKAGE SLOT',
    },
  );
}

/** The same check for an answer to a question of the tool. Describes the secret; undefined if there is none. */
export async function secretInAnswer(
  pkg: Package,
  tool: Tool,
  answer: Json,
  scan: CallScan,
): Promise<string | undefined> {
  const finding = await secretIn(pkg, tool, answer, scan);
  return finding === undefined ? undefined : describeFinding(finding);
}

async function secretIn(pkg: Package, tool: Tool, value: Json, scan: CallScan): Promise<Finding | undefined> {
  const findings = await scan.foreignSecrets(value);
  const vaultValue = findings.find((it) => it.kind === 'value');
  if (vaultValue !== undefined || !canPassOn(pkg, tool)) return vaultValue;
  return findings.find((it) => it.kind === 'pattern');
}

function describeFinding({ kind, name }: Finding): string {
  return kind === 'value' ? `the secret ${name}` : `something that looks like a key (${name})`;
}

function canPassOn(pkg: Package, tool: Tool): boolean {
  const { network, filesystem } = pkg.permissions;
  if (tool.action?.kind === 'prompt' || tool.action?.kind === 'compose') return false;
  if (tool.action?.kind === 'http' || tool.action?.kind === 'upstream') return true;
  return tool.effect !== 'none' || network.kind !== 'none' || filesystem === 'read-write';
}

/** The same check for requests that are not calls. Here every vault value is rejected, even the package's own. */
export async function assertNoSecrets(name: string, request: Json, scan: CallScan): Promise<void> {
  const [finding] = await scan.secretsIn(request);
  if (finding === undefined) return;
  throw new HostError('guardrail', `the request to ${name} contains ${describeFinding(finding)}`, {
    hint: 'remove it: programs get keys only from the vault',
  });
}
