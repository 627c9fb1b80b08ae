import type { DeclaredValue, SecretAudience, SecretEntry } from '../../host/host.js';
import { visibleLine } from './visible.js';
import { pad, width } from './width.js';

/** Stored values, then those that packages ask for and do not have, each with the command that sets it. */
export function printValues(entries: readonly SecretEntry[], declared: readonly DeclaredValue[]): string {
  const missing = declared.filter((it) => it.missing);
  if (entries.length === 0 && missing.length === 0) return 'no secrets or settings are stored or missing\n';
  const scopesOf = (packageId: string, slot: string) =>
    declared.find((it) => it.package === packageId && it.slot === slot)?.providerScopes ?? [];
  const rows = [
    ...entries.map((it) => ({
      ...it,
      text: `${new Date(it.setAt).toISOString().slice(0, 10)}  ${receivers(it.audience)}`,
    })),
    ...missing.map((it) => ({ ...it, text: `missing     ${it.command}` })),
  ];
  const widest = (of: 'package' | 'slot') => Math.max(...rows.map((it) => width(visibleLine(it[of]))));
  const [packages, slots] = [widest('package'), widest('slot')];
  const lines = rows.flatMap((it) => {
    const scopes = scopesText(scopesOf(it.package, it.slot));
    return [
      `${pad(visibleLine(it.package), packages)}  ${pad(visibleLine(it.slot), slots)}  ${visibleLine(it.text)}`,
      ...(scopes === '' ? [] : [`${' '.repeat(packages + slots + 4)}${visibleLine(scopes)}`]),
    ];
  });
  return `${lines.join('\n')}\n`;
}

/** Empty if the credential needs no scope. */
export function scopesText(providerScopes: readonly string[]): string {
  if (providerScopes.length === 0) return '';
  return `needs at its provider: ${providerScopes.join(', ')}`;
}

export function receivers(audience: SecretAudience): string {
  switch (audience.kind) {
    case 'hosts':
      return `may be sent to ${audience.hosts.join(', ')}`;
    case 'any':
      return 'may be sent to any host';
    case 'manifest':
      return 'may be sent only to hosts that its manifest names (change it with --host)';
  }
}
