import { resolve } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import type { ArgumentCondition, Condition } from '../../model/standing-rule.js';
import { printRule, rulesDocument } from '../print/rule-document.js';
import { checkedRule, type RuleTarget, ruleTarget } from '../rule-input.js';
import { type Arguments, parseLifetime } from './arguments.js';
import { withHost, withKeptHost } from './attach.js';
import type { Option } from './command.js';
import { isDryRun, tellDryRun } from './dry-run.js';
import { operatorHere } from './operator.js';
import { sessionFor } from './session-options.js';
import type { Terminal } from './terminal.js';
import { wholeId } from './whole-id.js';

/** For `approvals allow`. */
export const ruleOptions: readonly Option[] = [
  {
    name: 'when',
    value: 'ARG TEST VALUE',
    words: 3,
    multiple: true,
    text: 'what an argument must be: equals, one-of a,b, under PATH, <= N (not below 0), >= N, matches RE',
  },
  { name: 'any', value: 'ARG', multiple: true, text: 'an argument that may be anything' },
  { name: 'for', value: 'PRINCIPAL', text: 'only this caller, as "asked by" shows it' },
  { name: 'until', value: 'TIME', text: 'how long the rule holds: 90m, 2h, 30d; until revoked unless told' },
  { name: 'destructive', text: 'the tool cannot be undone, and may run under the rule all the same' },
  { name: 'dir', value: 'DIR', multiple: true, text: 'where packages are (this folder unless told)' },
];

export async function allow(name: string | undefined, args: Arguments, terminal: Terminal): Promise<number> {
  if (name === undefined)
    throw new HostError('usage', 'say which tool to allow: toolwharf approvals allow PKG/TOOL --when …', {
      hint: 'see "toolwharf approvals --help"',
    });
  const wanted = await sessionFor(
    args,
    terminal,
    args.values('dir').map((it) => resolve(terminal.cwd, it)),
  );
  const until = args.value('until');
  const rule = await withHost(args, terminal, async (host) => {
    const session = await host.session(wanted);
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
    return host.approvals.rules.add(checked, await operatorHere(host, args, terminal));
  });
  if (rule === undefined) return tellDryRun(`let such calls of ${name} run without asking`, args, terminal);
  terminal.out(args.has('json') ? `${JSON.stringify(rulesDocument([rule]))}\n` : printRule(rule));
  return 0;
}

export async function listRules(args: Arguments, terminal: Terminal): Promise<number> {
  const rules = await withKeptHost(args, terminal, (host) => host.approvals.rules.list());
  if (args.has('json')) terminal.out(`${JSON.stringify(rulesDocument(rules))}\n`);
  else
    terminal.out(
      rules.length === 0 ? 'there are no rules: everything is asked\n' : rules.map(printRule).join('\n'),
    );
  return 0;
}

/** Asking more needs no PIN. */
export async function revoke(id: string | undefined, args: Arguments, terminal: Terminal): Promise<number> {
  if (id === undefined)
    throw new HostError('usage', 'say which rule to revoke', { hint: 'see "toolwharf approvals rules"' });
  const me = { name: terminal.principal, channel: 'terminal' } as const;
  const { done, rule } = await withKeptHost(args, terminal, async (host) => {
    const rules = await host.approvals.rules.list();
    const whole = wholeId(
      id,
      'rule_',
      rules.map((it) => it.id),
    );
    const holds = rules.some((it) => it.id === whole && it.endReason === null);
    return { rule: whole, done: isDryRun(args) ? holds : await host.approvals.rules.revoke(whole, me) };
  });
  if (!done)
    throw new HostError('not_found', `there is no rule ${id} that holds`, {
      hint: 'see "toolwharf approvals rules"',
    });
  if (isDryRun(args)) return tellDryRun(`revoke ${rule}`, args, terminal);
  if (args.has('json')) terminal.out(`${JSON.stringify({ ...rulesDocument([]), revoked: rule })}\n`);
  else if (!args.has('quiet')) terminal.out(`${rule} holds no more; such calls are asked for again\n`);
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

function conditionOf(words: string, { tool }: RuleTarget): ArgumentCondition {
  const [, argument = '', test = '', value = ''] = /^(\S+)\s+(\S+)\s+(.+)$/s.exec(words) ?? [];
  const make = Object.hasOwn(tests, test) ? tests[test] : undefined;
  if (make === undefined)
    throw new HostError('usage', `--when ${JSON.stringify(words)} is not understood`, {
      hint: `write --when ARGUMENT TEST VALUE; tests are ${Object.keys(tests).join(', ')}`,
    });
  const properties = isObject(tool.input) && isObject(tool.input.properties) ? tool.input.properties : {};
  const declared = Object.hasOwn(properties, argument) ? properties[argument] : undefined;
  return { argument, condition: make(value, isObject(declared) && declared.type === 'string') };
}

/** For a text argument the words are the text; anything else is JSON. */
function jsonOf(value: string, text: boolean): Json {
  if (text) return value;
  try {
    return JSON.parse(value) as Json;
  } catch (error) {
    throw new HostError('usage', `${JSON.stringify(value)} is not JSON, and the argument is not a text`, {
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
    hint: "write digits: --when amount '<=' 50",
  });
}
