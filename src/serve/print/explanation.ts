import type { ExplainedFinding, ExplainedLimit, ExplainedPermissions, Explanation } from '../../host/host.js';
import type { NetworkAccess, NetworkHost } from '../../model/permissions.js';
import { ruleOriginText } from '../../model/rule.js';
import { costTexts, factText, smokeTestText } from './lifecycle.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { waiverLine } from './waivers.js';

const verdicts: Readonly<Record<Explanation['verdict'], string>> = {
  allow: 'would run',
  ask: 'would be held for approval',
  deny: 'would be denied',
  limit: 'would be denied by a limit',
  invalid: 'would be rejected: invalid arguments',
  'not-ready': 'cannot be called now',
};

/** The explanation of a decision, as text. */
export function printExplanation(it: Explanation, principal: string, style: Style): string {
  const { tool, verdict, because, effect, limits, permissions, guardrails } = it;
  const paint = verdict === 'allow' ? style.good : verdict === 'ask' ? style.warning : style.error;
  const lines = [
    `${style.bold(visibleLine(tool))} ${paint(verdicts[verdict])}, for ${visibleLine(principal)}`,
    ...because.map(({ text, origin }) =>
      row('because', `${text}  ${style.dim(`[${ruleOriginText(origin)}]`)}`),
    ),
    ...it.inactive.map((waiver) =>
      row('inactive', `${waiverLine(waiver)}  ${style.dim('[not accepted: toolwharf policy accept]')}`),
    ),
    ...(it.seen ?? []).map(({ text }) => row('seen', visibleLine(text))),
    ...taintRows(it.taint),
    row('effect', effect.declared ? effect.value : `${effect.value} (assumed; not declared)`),
    ...permissionRows(permissions),
    ...limits.map((limit) =>
      row('limit', `${limitText(limit)}  ${style.dim(`[${ruleOriginText(limit.origin)}]`)}`),
    ),
    ...guardrails.denyPatterns.map(({ value, origin }) =>
      row('denies', `arguments that match ${value}  ${style.dim(`[${ruleOriginText(origin)}]`)}`),
    ),
    ...guardrails.redact.map(({ value, origin }) =>
      row('redacts', `${value}  ${style.dim(`[${ruleOriginText(origin)}]`)}`),
    ),
    ...guardrails.outputs.map(({ origin }) =>
      row('checks', `the answer against a schema  ${style.dim(`[${ruleOriginText(origin)}]`)}`),
    ),
    ...(guardrails.guesses
      ? []
      : [row('keeps', 'likely secrets in answers, because of scan.no_guesses in the configuration')]),
    ...guardrails.exempt.map((it) => row('keeps', `${it}  ${style.dim('[scan.exempt]')}`)),
    ...(it.findings ?? []).flatMap(findingRows),
    ...(it.findings?.length === 0 ? [row('removes', 'nothing from this answer')] : []),
    ...(it.untrustedInputs.length === 0
      ? []
      : [row('untrusted', `data from untrusted sources may be in: ${it.untrustedInputs.join(', ')}`)]),
    ...(it.trusted ? [row('trusted', 'its answers, by the configuration')] : []),
    ...costTexts(it.cost).map((text) => row('costs', text)),
    ...(it.smoke === undefined ? [] : [row('smoke test', smokeTestText(it.smoke))]),
    ...it.support.map((fact) => row('support', factText(fact))),
    row('policy', it.policy.slice(0, 16)),
  ];
  return `${lines.join('\n')}\n`;
}

/** How calls are judged by what their session has seen. */
function taintRows({ mode, untrusted, inputs }: Explanation['taint']): string[] {
  const roles = Object.entries(inputs).map(([name, role]) => `${name} (${role})`);
  return [
    row('taint', `${mode}; this session has seen ${untrusted ? '' : 'no '}text of others`),
    ...(roles.length === 0 ? [] : [row('inputs', visibleLine(roles.join(', ')))]),
  ];
}

const findingReasons: Readonly<Record<ExplainedFinding['reason'], string>> = {
  value: 'a value of the vault',
  format: 'it has the format of a key',
  guess: 'a guess: its name says that it is a secret, and it looks random',
};

function findingRows({ path, rule, reason, exempt, setting }: ExplainedFinding): string[] {
  if (exempt) return [row('keeps', `${path}: ${rule}, because of scan.exempt`)];
  return [
    row('removes', `${path}: ${rule} (${findingReasons[reason]})`),
    ...(setting === undefined ? [] : [row('', `to keep it: scan.exempt = [${JSON.stringify(setting)}]`)]),
  ];
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(10)} ${escaped(text)}`;
}

/** Keeps our own color codes and makes all other control characters visible. */
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
      return `a person must approve more than ${most}`;
    case 'rate':
      return `${most} calls per ${per}, ${left} left`;
    case 'spend':
      return `${most} in total per ${per}, ${left} left`;
  }
}

function permissionRows({
  network,
  filesystem,
  narrowedTo,
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
    ...(narrowedTo === undefined
      ? []
      : [row('uses', `${narrowedTo.join(', ') || 'none'}, of the scopes of its package`)]),
    row('network', networkText(network)),
    row('files', root === undefined ? filesystem : `${filesystem} in ${root}`),
    ...(grants.length === 0 ? [] : [row('granted', grants.join(', '))]),
    ...(denied.length === 0 ? [] : [row('denied', denied.join(', '))]),
    ...(roots === null ? [] : [row('roots', roots.join(', ') || 'none')]),
  ];
}

function networkText(network: NetworkAccess): string {
  if (network.kind !== 'hosts') return network.kind;
  return network.hosts.map(hostText).join(', ') || 'only granted hosts';
}

function hostText({ host, port, subdomains }: NetworkHost): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${subdomains === true ? '*.' : ''}${name}${port === null ? '' : `:${port}`}`;
}
