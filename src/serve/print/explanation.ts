import type { ExplainedLimit, ExplainedPermissions, Explanation } from '../../host/host.js';
import type { NetworkAccess, NetworkHost } from '../../model/permissions.js';
import { originText } from '../../model/rule.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';

const verdicts: Readonly<Record<Explanation['verdict'], string>> = {
  allow: 'would run',
  ask: 'would wait for a person',
  deny: 'would be refused',
  limit: 'would be refused by a limit',
  invalid: 'would be refused: the arguments do not fit',
  'not-ready': 'cannot be called now',
};

/** For a person who asks why. */
export function printExplanation(it: Explanation, principal: string, style: Style): string {
  const { tool, verdict, because, effect, limits, permissions, guardrails } = it;
  const paint = verdict === 'allow' ? style.good : verdict === 'ask' ? style.warning : style.error;
  const lines = [
    `${style.bold(visibleLine(tool))} ${paint(verdicts[verdict])}, for ${visibleLine(principal)}`,
    ...because.map(({ text, origin }) => row('because', `${text}  ${style.dim(`[${originText(origin)}]`)}`)),
    row('effect', effect.declared ? effect.value : `${effect.value} (its manifest does not say)`),
    ...permissionRows(permissions),
    ...limits.map((limit) =>
      row('limit', `${limitText(limit)}  ${style.dim(`[${originText(limit.origin)}]`)}`),
    ),
    ...guardrails.denyPatterns.map(({ value, origin }) =>
      row('refuses', `arguments that match ${value}  ${style.dim(`[${originText(origin)}]`)}`),
    ),
    ...guardrails.redact.map(({ value, origin }) =>
      row('takes out', `${value}  ${style.dim(`[${originText(origin)}]`)}`),
    ),
    ...guardrails.outputs.map(({ origin }) =>
      row('checks', `the answer against a schema  ${style.dim(`[${originText(origin)}]`)}`),
    ),
    ...(guardrails.guesses
      ? []
      : [row('leaves in', 'what only stands where a secret would, by scan.no_guesses in the configuration')]),
    ...(it.trusted ? [row('trusted', 'its answers, by the configuration')] : []),
    row('policy', it.policy.slice(0, 16)),
  ];
  return `${lines.join('\n')}\n`;
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(10)} ${escaped(text)}`;
}

/** Colors of ours stay, everything else is shown as what it is. */
function escaped(text: string): string {
  return text
    .split(/(\u001B\[\d+m)/)
    .map((part, index) => (index % 2 === 1 ? part : visibleLine(part)))
    .join('');
}

function limitText({ kind, most, per, left }: ExplainedLimit): string {
  switch (kind) {
    case 'length':
      return `at most ${most} characters of arguments`;
    case 'amount':
      return `at most ${most} in one call`;
    case 'ask_above':
      return `a person is asked above ${most}`;
    case 'rate':
      return `${most} calls a ${per}, ${left} left`;
    case 'spend':
      return `${most} in all a ${per}, ${left} left`;
  }
}

function permissionRows({
  network,
  filesystem,
  root,
  roots,
  granted,
  denied,
}: ExplainedPermissions): string[] {
  const grants = [
    ...granted.network.map((it) => `net:${hostText(it)}`),
    ...granted.read.map((it) => `read:${it}`),
    ...granted.write.map((it) => `write:${it}`),
    ...granted.environment.map((it) => `env:${it}`),
  ];
  return [
    row('network', networkText(network)),
    row('files', root === undefined ? filesystem : `${filesystem} in ${root}`),
    ...(grants.length === 0 ? [] : [row('granted', grants.join(', '))]),
    ...(denied.length === 0 ? [] : [row('denied', denied.join(', '))]),
    ...(roots === null ? [] : [row('roots', roots.join(', ') || 'none')]),
  ];
}

function networkText(network: NetworkAccess): string {
  if (network.kind !== 'hosts') return network.kind;
  return network.hosts.map(hostText).join(', ') || 'hosts that are granted';
}

function hostText({ host, port, subdomains }: NetworkHost): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${subdomains === true ? '*.' : ''}${name}${port === null ? '' : `:${port}`}`;
}
