import { resolve } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { parseBounded, requestLimits } from '../../model/json-bounds.js';
import type { ArgumentCondition, Condition } from '../../model/standing-rule.js';
import { printRule, rulesDocument } from '../print/rule-document.js';
import { checkedRule, type RuleTarget, ruleTarget } from '../rule-input.js';
import { parseLifetime } from './command/arguments.js';
import type { Arguments, Option } from './command/command.js';
import { dirOption, setOption } from './config/config.js';
import { sessionFor } from './config/session-options.js';
import { isDryRun, reportDryRun } from './dry-run.js';
import { expandId } from './id-prefix.js';
import { terminalOperator } from './terminal/operator.js';
import type { Terminal } from './terminal/terminal.js';
import { withExistingHost, withHost } from './with-host.js';

/** Options of `approvals allow`. */
export const ruleOptions: readonly Option[] = [
  {
    name: 'when',
    value: 'ARG TEST VALUE',
    valueArgs: 3,
    multiple: true,
    text: 'condition for an argument: equals, one-of a,b, under PATH, <= N (not below 0), >= N, matches RE',
  },
  { name: 'any', value: 'ARG', multiple: true, text: 'argument that may have any value' },
  { name: 'for', value: 'PRINCIPAL', text: 'only for this caller, as shown after "asked by"' },
  { name: 'until', value: 'TIME', text: 'how long the rule is valid: 90m, 2h, 30d (default: until revoked)' },
  { name: 'destructive', text: 'allow the rule for a tool whose effects cannot be undone' },
  dirOption,
  setOption,
];

export async function allow(name: string | undefined, args: Arguments, terminal: Terminal): Promise<number> {
  if (name === undefined)
    throw new HostError(
      'usage',
      'name the package or tool to allow: toolwharf approvals allow PKG, or PKG/TOOL --when …',
      {
        hint: 'see "toolwharf approvals --help"',
      },
    );
  const options = await sessionFor(
    args,
    terminal,
    args.values('dir').map((it) => resolve(terminal.cwd, it)),
  );
  const until = args.value('until');
  const rule = await withHost(args, terminal, async (host) => {
    const session = await host.session({ ...options, intent: 'look' });
    const target = await ruleTarget(session, name);
    const conditions = [
      ...args.values('when').map((it) => conditionOf(it, target)),
      ...args.values('any').map((argument) => ({ argument, condition: { test: 'any' } as const })),
    ];
    const checked = checkedRule(
      {
        principal: args.value('for') ?? null,
        conditions,
        destructive: args.has('destructive'),
        expiresAt: until === undefined ? null : Date.now() + parseLifetime(until, 'until'),
      },
      target,
    );
    if (isDryRun(args)) return undefined;
    return host.approvals.rules.add(checked, await terminalOperator(host, args, terminal));
  });
  if (rule === undefined)
    return reportDryRun(`add a standing rule: such calls of ${name} run without asking`, args, terminal);
  terminal.out(args.has('json') ? `${JSON.stringify(rulesDocument([rule]))}\n` : printRule(rule));
  return 0;
}

export async function listRules(args: Arguments, terminal: Terminal): Promise<number> {
  const rules = await withExistingHost(args, terminal, (host) => host.approvals.rules.list());
  if (args.has('json')) terminal.out(`${JSON.stringify(rulesDocument(rules))}\n`);
  else
    terminal.out(
      rules.length === 0
        ? 'no standing rules: every call that needs approval is held\n'
        : rules.map(printRule).join('\n'),
    );
  return 0;
}

/** Needs no PIN, because it only makes the host ask more. */
export async function revoke(id: string | undefined, args: Arguments, terminal: Terminal): Promise<number> {
  if (id === undefined)
    throw new HostError('usage', 'name the rule to revoke', { hint: 'see "toolwharf approvals rules"' });
  const me = { name: terminal.principal, channel: 'terminal' } as const;
  const { done, rule } = await withExistingHost(args, terminal, async (host) => {
    const rules = await host.approvals.rules.list();
    const fullId = expandId(
      id,
      'rule_',
      rules.map((it) => it.id),
    );
    const isActive = rules.some((it) => it.id === fullId && it.endReason === null);
    return { rule: fullId, done: isDryRun(args) ? isActive : await host.approvals.rules.revoke(fullId, me) };
  });
  if (!done)
    throw new HostError('not_found', `no active rule ${id}`, {
      hint: 'see "toolwharf approvals rules"',
    });
  if (isDryRun(args)) return reportDryRun(`revoke ${rule}`, args, terminal);
  if (args.has('json')) terminal.out(`${JSON.stringify({ ...rulesDocument([]), revoked: rule })}\n`);
  else if (!args.has('quiet')) terminal.out(`revoked ${rule}; such calls need approval again\n`);
  return 0;
}

const tests: Readonly<Record<string, (value: string, text: boolean) => Condition>> = {
  equals: (value, text) => ({ test: 'equals', value: jsonOf(value, text) }),
  'one-of': (value, text) => ({ test: 'one-of', values: valuesOf(value, text) }),
  under: (path) => ({ test: 'under', path }),
  '<=': (value) => ({ test: 'at-most', number: numberOf(value) }),
  '>=': (value) => ({ test: 'at-least', number: numberOf(value) }),
  matches: (pattern) => ({ test: 'matches', pattern }),
};

function conditionOf(text: string, { tool }: RuleTarget): ArgumentCondition {
  const [, argument = '', test = '', value = ''] = /^(\S+)\s+(\S+)\s+(.+)$/s.exec(text) ?? [];
  const make = Object.hasOwn(tests, test) ? tests[test] : undefined;
  if (make === undefined)
    throw new HostError('usage', `--when ${JSON.stringify(text)} is not a condition`, {
      hint: `write --when ARGUMENT TEST VALUE; tests are ${Object.keys(tests).join(', ')}`,
    });
  const input = tool?.input;
  const properties = isObject(input) && isObject(input.properties) ? input.properties : {};
  const declared = Object.hasOwn(properties, argument) ? properties[argument] : undefined;
  return { argument, condition: make(value, isObject(declared) && declared.type === 'string') };
}

/** For a string argument the value is taken as it is; otherwise it is JSON. */
function jsonOf(value: string, text: boolean): Json {
  if (text) return value;
  try {
    return parseBounded(value, requestLimits);
  } catch (error) {
    throw new HostError('usage', `${JSON.stringify(value)} is not JSON, and the argument is not a string`, {
      cause: error,
      hint: 'write a number, true, false, null, or JSON in single quotes',
    });
  }
}

function valuesOf(value: string, text: boolean): Json[] {
  if (value.startsWith('[')) {
    const list = jsonOf(value, false);
    if (Array.isArray(list)) return [...(list as readonly Json[])];
  }
  return value.split(',').map((it) => jsonOf(it.trim(), text));
}

function numberOf(value: string): number {
  const number = /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isFinite(number)) return number;
  throw new HostError('usage', `${JSON.stringify(value)} is not a number`, {
    hint: "write a number: --when amount '<=' 50",
  });
}
