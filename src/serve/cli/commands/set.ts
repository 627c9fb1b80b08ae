import type { RemoteHost, SetSubjectKind, ToolSet, ToolSetEntry } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { printSet, printSetLine, setDocument, setsDocument } from '../../print/sets.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { changedSet, hasSetChange, setChangeOptions, setFileText, setInFile } from '../set-change.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withHost } from '../with-host.js';

const subjects = ['token', 'client', 'principal'] as const satisfies readonly SetSubjectKind[];

export const setCommand: Command = {
  name: 'set',
  summary: 'Choose what callers see: named sets of tools, bound to tokens, clients and folders.',
  usage:
    'set save NAME [options] | list [NAME] | load NAME | bind NAME --token TOKEN | unbind --token TOKEN | remove NAME',
  examples: [
    { line: 'toolwharf set save reading --only notes/search --only web', text: 'show only these tools' },
    { line: 'toolwharf set save reading --hide notes/delete', text: 'change it: hide one more' },
    {
      line: `toolwharf set save team --fix 'notes/add:folder="team"' --rename notes/add=add_team_note`,
      text: 'fix an argument, and show the tool under another name',
    },
    { line: 'toolwharf set bind reading --token laptop', text: 'this token sees nothing else' },
    { line: 'toolwharf set load reading --here', text: 'for sessions in this folder that have no other set' },
    { line: 'toolwharf set load --none', text: 'sessions without a set of their own see everything again' },
    { line: 'toolwharf set list reading --json > reading.json', text: 'copy it to another machine' },
    { line: 'toolwharf set save reading --from reading.json', text: 'and save it there' },
  ],
  options: [
    ...setChangeOptions,
    { name: 'token', value: 'TOKEN', text: 'with bind and unbind: the name or id of a token' },
    {
      name: 'client',
      value: 'CLIENT',
      text: 'with bind and unbind: the name or id of the key of a connected client',
    },
    { name: 'principal', value: 'NAME', text: 'with bind and unbind: a caller, as shown in the audit log' },
    { name: 'here', text: 'with load: only for sessions in this folder or below' },
    { name: 'none', text: 'with load: load no set' },
    pinOption,
    dryRunOption,
  ],
  async run(args, terminal) {
    const [verb = 'list', name, ...more] = args.positionals;
    if (more.length > 0) throw new HostError('usage', 'name one set');
    assertOptions(verb, args);
    switch (verb) {
      case 'save':
        return save(args, terminal, required(name, verb));
      case 'list':
        return list(args, terminal, name);
      case 'load':
        return load(args, terminal, name);
      case 'bind':
        return bind(args, terminal, required(name, verb), subjectOf(args));
      case 'unbind':
        if (name !== undefined) throw new HostError('usage', 'set unbind takes no name of a set');
        return unbind(args, terminal, subjectOf(args));
      case 'remove':
        return remove(args, terminal, required(name, verb));
      default:
        throw new HostError('usage', `unknown subcommand ${JSON.stringify(verb)} of set`, {
          hint: 'use save, list, load, bind, unbind or remove',
        });
    }
  },
};

function required(name: string | undefined, verb: string): string {
  if (name !== undefined) return name;
  throw new HostError('usage', `name the set: toolwharf set ${verb} NAME`, {
    hint: 'see "toolwharf set list"',
  });
}

const optionsOf: Readonly<Record<string, readonly string[]>> = {
  save: setChangeOptions.map((it) => it.name),
  load: ['here', 'none'],
  bind: subjects,
  unbind: subjects,
};

/** An option that has no effect would hide a mistake. */
function assertOptions(verb: string, args: Arguments): void {
  const known = new Set(Object.values(optionsOf).flat());
  const wrong = [...known].find((it) => args.has(it) && optionsOf[verb]?.includes(it) !== true);
  if (wrong === undefined) return;
  const verbs = Object.keys(optionsOf).filter((it) => optionsOf[it]?.includes(wrong));
  throw new HostError('usage', `--${wrong} works only with "set ${verbs.join('" and "set ')}"`);
}

interface Subject {
  readonly kind: SetSubjectKind;
  readonly name?: string;
}

function subjectOf(args: Arguments): Subject {
  const given = subjects.filter((it) => args.has(it));
  const [kind] = given;
  if (kind === undefined || given.length > 1)
    throw new HostError('usage', 'name one token, client or principal', {
      hint: 'use --token, --client or --principal; "toolwharf token list" shows tokens and clients',
    });
  return { kind, name: args.value(kind) ?? '' };
}

async function findSet(host: RemoteHost, name: string): Promise<ToolSetEntry | undefined> {
  return (await host.sets.list()).find((it) => it.name === name);
}

async function existingSet(host: RemoteHost, name: string): Promise<ToolSetEntry> {
  const found = await findSet(host, name);
  if (found !== undefined) return found;
  throw new HostError('not_found', `there is no set ${JSON.stringify(name)}`, {
    hint: 'see "toolwharf set list"; save one: toolwharf set save NAME',
  });
}

async function save(args: Arguments, terminal: Terminal, name: string): Promise<number> {
  const file = args.value('from');
  const base =
    file === undefined
      ? undefined
      : setInFile(await setFileText(file, terminal), name, file === '-' ? 'standard input' : file);
  const saved = await withHost(args, terminal, async (host) => {
    const known = await findSet(host, name);
    if (known !== undefined && !hasSetChange(args))
      throw new HostError('usage', `the set ${name} exists; say what to change about it`, {
        hint: `add --hide, --only, --rename, --describe, --fix, --reset or --from; see it: toolwharf set list ${name}`,
      });
    const before = base ?? known?.set ?? { name, tools: {} };
    const set: ToolSet = changedSet(before, args);
    if (isDryRun(args)) return { known, set, remarks: await host.sets.check(set) };
    return { ...(await host.sets.save(set, await terminalOperator(host, args, terminal))), known, set };
  });
  for (const it of saved.remarks) terminal.err(`warning: ${visibleLine(it)}\n`);
  if (!('entry' in saved)) {
    const verb = saved.known === undefined ? 'save' : 'change';
    return reportDryRun(`${verb} the set ${name}: ${printSetLine(saved.set)}`, args, terminal);
  }
  const { entry, known } = saved;
  if (args.has('json')) terminal.out(`${JSON.stringify(setDocument(entry))}\n`);
  else if (!args.has('quiet')) {
    terminal.out(
      `${known === undefined ? 'saved' : 'changed'} ${name}: ${visibleLine(printSetLine(entry.set))}\n`,
    );
    if (entry.bindings.length === 0)
      terminal.out(
        `nobody uses it yet: toolwharf set load ${name}, or toolwharf set bind ${name} --token NAME\n`,
      );
  }
  return 0;
}

async function list(args: Arguments, terminal: Terminal, name: string | undefined): Promise<number> {
  if (name !== undefined) {
    const entry = await withHost(args, terminal, (host) => existingSet(host, name));
    terminal.out(args.has('json') ? `${JSON.stringify(setDocument(entry))}\n` : printSet(entry));
    return 0;
  }
  const entries = await withHost(args, terminal, (host) => host.sets.list());
  if (args.has('json')) terminal.out(`${JSON.stringify(setsDocument(entries))}\n`);
  else if (entries.length === 0) terminal.out('no sets: every caller sees everything\n');
  else for (const it of entries) terminal.out(printSet(it));
  return 0;
}

async function load(args: Arguments, terminal: Terminal, name: string | undefined): Promise<number> {
  if ((name === undefined) !== args.has('none'))
    throw new HostError('usage', name === undefined ? 'name the set to load' : 'name a set or use --none', {
      hint: 'toolwharf set load NAME, or toolwharf set load --none',
    });
  const subject: Subject = args.has('here')
    ? { kind: 'workspace', name: terminal.cwd }
    : { kind: 'everyone' };
  return name === undefined ? unbind(args, terminal, subject) : bind(args, terminal, name, subject);
}

async function bind(args: Arguments, terminal: Terminal, name: string, subject: Subject): Promise<number> {
  const entries = await withHost(args, terminal, async (host) => {
    await existingSet(host, name);
    if (isDryRun(args)) return assertSubject(host, subject);
    const by = await terminalOperator(host, args, terminal);
    await host.sets.bind({ set: name, ...subject, by });
    return host.sets.list();
  });
  if (entries === undefined)
    return reportDryRun(`use the set ${name} for ${whoText(subject)}`, args, terminal);
  if (args.has('json')) terminal.out(`${JSON.stringify(setsDocument(entries))}\n`);
  else if (!args.has('quiet')) terminal.out(`${visibleLine(`${whoText(subject)}: the set ${name}`)}\n`);
  return 0;
}

async function unbind(args: Arguments, terminal: Terminal, subject: Subject): Promise<number> {
  const result = await withHost(args, terminal, async (host) => {
    if (isDryRun(args)) return assertSubject(host, subject);
    const by = await terminalOperator(host, args, terminal);
    return { ended: await host.sets.unbind({ ...subject, by }), entries: await host.sets.list() };
  });
  if (result === undefined) return reportDryRun(`use no set for ${whoText(subject)}`, args, terminal);
  const { ended, entries } = result;
  if (args.has('json')) terminal.out(`${JSON.stringify(setsDocument(entries))}\n`);
  else if (!args.has('quiet'))
    terminal.out(`${visibleLine(`${whoText(subject)}: ${ended ? 'no set any more' : 'had no set'}`)}\n`);
  return 0;
}

async function remove(args: Arguments, terminal: Terminal, name: string): Promise<number> {
  const entries = await withHost(args, terminal, async (host) => {
    const { bindings } = await existingSet(host, name);
    if (isDryRun(args)) {
      if (bindings.length === 0) return undefined;
      throw new HostError('denied', `the set ${name} is in use`, {
        hint: `see "toolwharf set list ${name}"`,
      });
    }
    await host.sets.remove(name, terminal.principal);
    return host.sets.list();
  });
  if (entries === undefined) return reportDryRun(`remove the set ${name}`, args, terminal);
  if (args.has('json')) terminal.out(`${JSON.stringify(setsDocument(entries))}\n`);
  else if (!args.has('quiet')) terminal.out(`removed the set ${name}\n`);
  return 0;
}

/** For a dry run: the host checks it otherwise. */
async function assertSubject(host: RemoteHost, { kind, name }: Subject): Promise<undefined> {
  if (kind !== 'token' && kind !== 'client') return undefined;
  const wanted = kind === 'token' ? 'http' : 'stdio';
  const found = (await host.tokens.list()).some(
    (it) => it.kind === wanted && (it.name === name || it.id === name),
  );
  if (found) return undefined;
  throw new HostError('not_found', `there is no ${kind} ${JSON.stringify(name)}`, {
    hint: 'see "toolwharf token list"',
  });
}

function whoText({ kind, name = '' }: Subject): string {
  switch (kind) {
    case 'everyone':
      return 'sessions without a set of their own';
    case 'workspace':
      return `sessions in ${name}`;
    default:
      return `${kind} ${name}`;
  }
}
