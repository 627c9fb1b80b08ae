import { watchPaths } from '../../../bundle/watch.js';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import { defaultParseOptions } from '../../../formats/inspect.js';
import { HostError } from '../../../model/host-error.js';
import { countOf } from '../../print/diagnostics.js';
import { visibleLine } from '../../print/visible.js';
import { type CheckedFiles, checkFiles, printChecked } from '../checked-files.js';
import type { Arguments, Command } from '../command/command.js';
import { rootOption } from '../config/config.js';
import {
  type AuthorHost,
  authorOptions,
  authorPaths,
  authorState,
  openAuthorHost,
} from '../development/author-host.js';
import { AuthorPrompt } from '../development/author-prompt.js';
import { askedValues, audienceFor, setAuthorValue, valuesNamed } from '../development/author-values.js';
import { environmentValues, fromEnvironmentOption } from '../development/environment-values.js';
import { type TypedLines, typedLines } from '../development/typed-lines.js';
import { logOptions } from '../program-log.js';
import type { Terminal } from '../terminal/terminal.js';

export function devCommand(formats: readonly FormatDescriptor[]): Command {
  return {
    name: 'dev',
    summary: 'Work on packages: check them, call their tools, and load every edit when it is saved.',
    usage: 'dev [PATH…] [options]',
    examples: [
      { line: 'toolwharf dev ./word_count.py', text: 'call a tool from the keyboard while you edit it' },
      { line: 'toolwharf dev ./weather --allow net:api.example.com', text: 'with a host that it may reach' },
      {
        line: `echo 'word_count text="a b"' | toolwharf dev ./word_count.py`,
        text: 'commands from a script, one per line',
      },
    ],
    options: [rootOption, fromEnvironmentOption, ...authorOptions],
    async run(args, terminal) {
      const paths = authorPaths('dev', args, terminal);
      const findings = new Findings(paths, formats, args, terminal);
      await findings.printNew();
      const lines = typedLines(terminal, 'dev> ');
      // A line about a reload may come while a line is typed.
      const onReload = (changes: readonly string[]) =>
        lines.interrupt(() => {
          for (const line of changes) printEvent(line, args, terminal);
        });
      try {
        const author = await openHost(paths, args, terminal, onReload);
        const stopWatching = findings.watch(lines);
        try {
          return await interact(author, findings, lines, args, terminal);
        } finally {
          stopWatching();
          await author.session.close();
          await author.host.close();
        }
      } finally {
        lines.close();
      }
    },
  };
}

function printEvent(line: string, args: Arguments, terminal: Terminal): void {
  terminal.out(
    args.has('json')
      ? `${JSON.stringify({ schema: 'toolwharf/dev-event@1', event: 'reload', line })}\n`
      : `${visibleLine(line)}\n`,
  );
}

async function openHost(
  paths: readonly string[],
  args: Arguments,
  terminal: Terminal,
  onReload: (changes: readonly string[]) => void,
): Promise<AuthorHost> {
  const state = authorState(paths, args, terminal);
  const root = args.value('root') ?? '.';
  const author = await openAuthorHost(paths, args, terminal, {
    ...{ state, root, onReload },
    ...logOptions(args, terminal),
  }).catch((error: unknown) => {
    if (!(error instanceof HostError) || error.code !== 'state_locked') throw error;
    throw new HostError('state_locked', 'dev is already open for this path, perhaps in another terminal', {
      hint: 'leave it there first: type quit',
      cause: error,
    });
  });
  const asked = await askedValues(author.session);
  for (const { name, value } of environmentValues(args, terminal))
    for (const it of valuesNamed(name, asked))
      await setAuthorValue(it, value, audienceFor([]), author.host, terminal);
  return author;
}

/** Performs the typed lines until the author leaves. For a script: the exit code of the first command that failed. */
async function interact(
  { host, session }: AuthorHost,
  findings: Findings,
  lines: TypedLines,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const check = () => findings.printAll();
  const isBroken = () => findings.hasErrors;
  const prompt = new AuthorPrompt({ host, session, args, terminal, check, isBroken });
  if (!args.has('quiet')) {
    const ignored = (await session.waivers()).filter((it) => !it.active).length;
    if (ignored > 0)
      terminal.err(
        'note: settings of your configuration that grant or waive something have no effect in dev; name grants with --allow\n',
      );
    await prompt.tools();
    if (terminal.stdinIsTerminal) terminal.out('type help for the commands, quit to leave\n');
  }
  let exit = 0;
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    const code = await prompt.run(line);
    if (code === undefined) break;
    exit ||= code;
  }
  return terminal.stdinIsTerminal ? 0 : exit;
}

/** What is wrong in the manifests, as `validate` prints it. */
class Findings {
  readonly #check: () => Promise<CheckedFiles>;
  readonly #paths: readonly string[];
  readonly #args: Arguments;
  readonly #terminal: Terminal;
  #printed = '[]';
  hasErrors = false;

  constructor(
    paths: readonly string[],
    formats: readonly FormatDescriptor[],
    args: Arguments,
    terminal: Terminal,
  ) {
    const agentVersion = args.value('agent-version') ?? defaultParseOptions.agentVersion;
    this.#check = () =>
      checkFiles({ paths, cwd: terminal.cwd, formats }, false, { ...defaultParseOptions, agentVersion });
    this.#paths = paths;
    this.#args = args;
    this.#terminal = terminal;
  }

  async printAll(): Promise<void> {
    this.#print(await this.#check());
  }

  /** Prints nothing if the findings are those that were printed last. */
  async printNew(write: (print: () => void) => void = (print) => print()): Promise<void> {
    const checked = await this.#check();
    this.hasErrors = countOf(checked.diagnostics, 'error') > 0;
    const now = JSON.stringify(checked.diagnostics);
    if (now === this.#printed) return;
    this.#printed = now;
    write(() => this.#print(checked));
  }

  /** Prints the findings after each save that changes them. */
  watch(lines: TypedLines): () => void {
    const print = () =>
      this.printNew((write) => lines.interrupt(write)).catch((error: unknown) =>
        lines.interrupt(() => this.#terminal.err(`error: ${visibleLine((error as Error).message)}\n`)),
      );
    const watcher = watchPaths({
      paths: this.#paths,
      onChange: () => void print(),
      // The host reports the same failure.
      onFailure: () => {},
    });
    return () => watcher.close();
  }

  #print(checked: CheckedFiles): void {
    if (!this.#args.has('json')) {
      printChecked(checked, this.#args, this.#terminal);
      return;
    }
    const { diagnostics } = checked;
    const errors = countOf(diagnostics, 'error');
    this.#terminal.out(
      `${JSON.stringify({ schema: 'toolwharf/dev-event@1', event: 'check', errors, diagnostics })}\n`,
    );
  }
}
