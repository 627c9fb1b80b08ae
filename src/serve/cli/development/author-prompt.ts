import { relative } from 'node:path';
import type { Answer, Host, PackageState, Session } from '../../../host/host.js';
import { Cancellation } from '../../../model/cancel-signal.js';
import { asHostError, HostError } from '../../../model/host-error.js';
import { isObject, type Json } from '../../../model/json.js';
import { errorTable } from '../../errors.js';
import { inputNames } from '../../print/inputs.js';
import { printTwoColumns } from '../../print/two-columns.js';
import { visible, visibleLine } from '../../print/visible.js';
import { wrap } from '../../print/width.js';
import { readArguments } from '../call-arguments.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { type ApprovalHelp, answerExit, callAtTerminal, printAnswer } from '../terminal-call.js';
import { casesPath, saveCase } from '../testing/cases-file.js';
import { askedValues, audienceFor, missingSlots, setAuthorValue, valuesNamed } from './author-values.js';
import { namedArguments, splitArgs, splitLine } from './command-line.js';

/** What the prompt works with. */
export interface AuthorPromptContext {
  readonly host: Host;
  readonly session: Session;
  readonly args: Arguments;
  readonly terminal: Terminal;
  /** Checks the manifests and prints all findings. */
  check(): Promise<void>;
  /** Whether the files have errors, so that calls use the last valid version. */
  isBroken(): boolean;
}

interface LastCall {
  readonly tool: string;
  readonly arguments: Json;
  readonly answer: Answer;
  readonly wasHeld: boolean;
}

/** Held calls of an author are on a host that nobody else reaches. */
const authorHelp: ApprovalHelp = {
  approve: () =>
    '  approve it at a terminal: run "toolwharf dev" there\n  in a saved case, write "approve": true\n',
  always: ({ kind }) =>
    kind === 'undeclared_effect'
      ? '  no question for tools that do not say what they do: start dev with --undeclared-effect write\n'
      : '',
};

const rows = [
  ['TOOL name=value …', 'call a tool; texts with blanks need quotes'],
  ['TOOL {"name": …}', 'call a tool with JSON'],
  ['call TOOL …', 'the same, for a tool that is named like a command'],
  ['again', 'make the last call again'],
  ['save [NAME]', 'save the last call and its answer as a test case'],
  ['tools', 'list the tools and their state'],
  ['check', 'show what is wrong in the manifests'],
  ['values', 'list the secrets and settings, and which are set'],
  ['set NAME [VALUE] [--host HOST]', 'set a value for dev; without VALUE it is asked for and not shown'],
  ['unset NAME', 'delete a value'],
  ['install', 'install the language packages and images that are missing'],
  ['quit', 'leave; Ctrl-C ends a running call first'],
] as const;

/** The commands that an author types. Each returns an exit code; for a script, the first that is not 0 counts. */
export class AuthorPrompt {
  readonly #context: AuthorPromptContext;
  #last: LastCall | undefined;

  constructor(context: AuthorPromptContext) {
    this.#context = context;
  }

  /** Undefined if the line asks to leave. Failures are printed, so that the next line can follow. */
  async run(line: string): Promise<number | undefined> {
    const { word, rest } = splitLine(line);
    if (word === '' || word.startsWith('#')) return 0;
    if (['quit', 'exit', 'q'].includes(word)) return undefined;
    try {
      return await this.#perform(word, rest);
    } catch (error) {
      const { code, message, hint } = asHostError(error);
      const { terminal } = this.#context;
      terminal.err(`error: ${visible(message)}\n${hint === undefined ? '' : `  ${visible(hint)}\n`}`);
      return errorTable[code].exit;
    }
  }

  async #perform(word: string, rest: string): Promise<number> {
    const { terminal, check } = this.#context;
    switch (word) {
      case 'help':
      case '?':
        terminal.out(`${printTwoColumns(rows, terminal.columns, 20).join('\n')}\n`);
        return 0;
      case 'tools':
      case 'list':
        await this.tools();
        return 0;
      case 'check':
        await check();
        return 0;
      case 'again':
        if (this.#last === undefined) throw new HostError('usage', 'there was no call yet');
        return this.#call(this.#last.tool, this.#last.arguments);
      case 'save':
        return this.#save(rest);
      case 'values':
        return this.#values();
      case 'set':
        return this.#set(rest);
      case 'unset':
        return this.#unset(rest);
      case 'install':
        return this.#install();
      case 'call': {
        const typed = splitLine(rest);
        if (typed.word === '') throw new HostError('usage', 'name the tool to call');
        return this.#callTyped(typed.word, typed.rest);
      }
      default:
        return this.#callTyped(word, rest);
    }
  }

  async #callTyped(tool: string, rest: string): Promise<number> {
    const { session, terminal } = this.#context;
    if (rest.startsWith('{')) return this.#call(tool, await readArguments(rest, terminal));
    const listed = (await session.tools()).find((it) => [it.name, it.exposed, it.tool.name].includes(tool));
    return this.#call(tool, namedArguments(rest, listed?.tool.input));
  }

  /** Ctrl-C cancels the call, and not the session. A save during the call does not affect it. */
  async #call(tool: string, args: Json): Promise<number> {
    const { host, session, args: options, terminal, isBroken } = this.#context;
    const cancellation = new Cancellation();
    const stopListening = terminal.onInterrupt(() => cancellation.abort());
    const stop = () => cancellation.abort();
    terminal.signal.addEventListener('abort', stop, { once: true });
    let wasHeld = false;
    const noticing = {
      ...session,
      call: async (request: Parameters<Session['call']>[0]) => {
        const answer = await session.call(request);
        wasHeld ||= answer.status === 'confirmation_required';
        return answer;
      },
    };
    try {
      const request = { tool, arguments: args, signal: cancellation };
      const context = { host, session: noticing, args: options, terminal, help: authorHelp };
      const answer = await callAtTerminal(request, context);
      printAnswer(answer, options, terminal, authorHelp);
      const ran = answer.status === 'ok' || answer.error?.code === 'tool_failed';
      if (ran && isBroken())
        terminal.err('note: the files have errors now; the call used the last valid version\n');
      this.#last = { tool: answer.tool, arguments: args, answer, wasHeld };
      return answerExit(answer);
    } finally {
      stopListening();
      terminal.signal.removeEventListener('abort', stop);
    }
  }

  async #save(name: string): Promise<number> {
    const last = this.#last;
    if (last === undefined) throw new HostError('usage', 'there was no call yet');
    const { answer } = last;
    if (answer.status === 'confirmation_required' || !isObject(last.arguments))
      throw new HostError('usage', 'the last call has no answer to save');
    const { session, terminal } = this.#context;
    const { packages } = await session.packages();
    const owner = packages.find((it) => it.id !== null && answer.tool.startsWith(`${it.id}/`));
    if (owner?.id == null) throw new HostError('not_found', `no package here has ${answer.tool}`);
    const tool = answer.tool.slice(owner.id.length + 1);
    const path = casesPath(owner.path, owner.id);
    const entry = {
      name: name === '' ? `${tool} ${JSON.stringify(last.arguments)}` : name,
      ...{ tool, arguments: last.arguments, approve: last.wasHeld },
    };
    const outcome = answer.status === 'ok' ? { answer: answer.result } : { error: answer.error.code };
    saveCase(path, entry, outcome, terminal);
    terminal.out(`saved ${visibleLine(JSON.stringify(entry.name))} in ${visibleLine(path)}\n`);
    return 0;
  }

  /** Prints the tools with their arguments, and what each package that is not ready needs. */
  async tools(): Promise<void> {
    const { session, host, args, terminal } = this.#context;
    const { packages } = await session.packages();
    const listed = await session.tools();
    if (args.has('json')) {
      const tools = listed.map(({ name, tool }) => ({
        name,
        description: tool.description,
        input: tool.input,
      }));
      const states = packages.map(({ id, path, state, reasons }) => ({ id, path, state, reasons }));
      terminal.out(`${JSON.stringify({ schema: 'toolwharf/dev@1', packages: states, tools })}\n`);
      return;
    }
    const stored = await host.secrets.list();
    for (const it of packages) {
      const isSet = (slot: string) => stored.some((entry) => entry.package === it.id && entry.slot === slot);
      const name = it.id ?? (relative(terminal.cwd, it.path) || it.path);
      terminal.out(`${visibleLine(name)}  ${it.state}\n`);
      const own = listed.filter((entry) => it.id !== null && entry.name.startsWith(`${it.id}/`));
      for (const line of [
        ...statusLines(it, isSet),
        ...own.map(({ tool }) => `${tool.name}(${inputNames(tool)})`),
      ])
        for (const part of wrap(visibleLine(line), Math.max(20, terminal.columns - 2)))
          terminal.out(`  ${part}\n`);
    }
    if (packages.length === 0) terminal.out('no packages here\n');
  }

  async #values(): Promise<number> {
    const { session, host, terminal } = this.#context;
    const stored = await host.secrets.list();
    const asked = await askedValues(session);
    for (const { package: pkg, slot } of asked) {
      const isSet = stored.some((it) => it.package === pkg.id && it.slot === slot.name);
      const state = isSet ? 'set' : slot.default !== undefined ? `default: ${slot.default}` : 'not set';
      const kind = slot.secret ? 'secret' : 'setting';
      terminal.out(`${visibleLine(`${pkg.id}/${slot.name}  ${kind}  ${state}`)}\n`);
    }
    if (asked.length === 0) terminal.out('the packages ask for no secrets or settings\n');
    return 0;
  }

  async #set(rest: string): Promise<number> {
    const { session, host, terminal, args } = this.#context;
    const words = [...splitArgs(rest)];
    const hosts: string[] = [];
    for (let at = words.indexOf('--host'); at !== -1; at = words.indexOf('--host'))
      hosts.push(...words.splice(at, 2).slice(1));
    const [name, typed, ...more] = words;
    if (name === undefined || more.length > 0)
      throw new HostError('usage', 'write set NAME, or set NAME VALUE', { hint: '"values" lists the names' });
    const found = valuesNamed(name, await askedValues(session));
    if (typed === undefined && (!terminal.stdinIsTerminal || args.has('no-input')))
      throw new HostError('usage', 'there is no terminal to ask for the value', {
        hint: 'write set NAME VALUE',
      });
    const value = typed ?? (await terminal.readSecret(`${name} (not shown): `));
    if (value === '') throw new HostError('usage', 'the value is empty; nothing was changed');
    for (const it of found) await setAuthorValue(it, value, audienceFor(hosts), host, terminal);
    terminal.out(`${visibleLine(name)} is set, for dev only\n`);
    return 0;
  }

  async #unset(name: string): Promise<number> {
    const { session, host, terminal } = this.#context;
    const by = { name: terminal.principal, channel: 'terminal' } as const;
    let removed = false;
    for (const it of valuesNamed(name, await askedValues(session)))
      removed = (await host.secrets.unset(it.package.id, it.slot.name, by)) || removed;
    if (!removed) throw new HostError('not_found', `${name} was not set`);
    terminal.out(`${visibleLine(name)} is deleted\n`);
    return 0;
  }

  async #install(): Promise<number> {
    const { session, terminal } = this.#context;
    const { packages } = await session.packages();
    for (const { id } of packages) {
      if (id === null) continue;
      const onStep = (name: string) => terminal.err(`${visibleLine(name)} …\n`);
      const { steps } = await session.install(id, { signal: terminal.signal, onStep });
      const text = steps.length === 0 ? 'has no dependencies to install' : 'has all its dependencies';
      terminal.out(`${visibleLine(id)} ${text}\n`);
    }
    return 0;
  }
}

/** Why a package is not ready, with what to type here. The reasons of the host name commands for the operator's host. */
function statusLines(state: PackageState, isSet: (slot: string) => boolean): readonly string[] {
  // Its findings are printed when they change.
  if (state.state === 'broken') return ['check shows what is wrong'];
  if (state.state !== 'needs-setup') return state.reasons;
  const missing = missingSlots(state, isSet);
  return [
    ...missing.map(
      (it) => `it needs ${it.name}${it.label === it.name ? '' : ` (${it.label})`}: set ${it.name}`,
    ),
    ...(state.reasons.length > missing.length ? ['something it needs is not installed: install'] : []),
  ];
}
