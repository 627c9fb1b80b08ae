import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Answer, Host, Session } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { confirmToolName } from '../../../model/tool-name.js';
import { errorTable } from '../../errors.js';
import { callDocument } from '../../print/call-document.js';
import { heldFacts, printFacts } from '../../print/held-call.js';
import { visible, visibleLine } from '../../print/visible.js';
import { type Arguments, parseDuration } from '../arguments.js';
import { withHost } from '../attach.js';
import { looksLikeJson, readArguments } from '../call-arguments.js';
import type { Command } from '../command.js';
import { sessionOptions } from '../config.js';
import { operatorHere, pinOption } from '../operator.js';
import { isPackagePath } from '../package-word.js';
import { whileShowing } from '../progress.js';
import { sessionFor } from '../session-options.js';
import type { Terminal } from '../terminal.js';

export const call: Command = {
  name: 'call',
  summary: 'Run one tool, confined to what its manifest declares.',
  usage: 'call PKG/TOOL|FILE|FOLDER [TOOL] [JSON|-] [options]',
  examples: [
    { line: `toolwharf call ./word_count.py '{"text":"a b"}'`, text: 'a tool in a file' },
    { line: `toolwharf call ./weather get_forecast '{"city":"Oslo"}'`, text: 'one tool of a folder' },
    {
      line: 'toolwharf call --dir tools word_count/word_count - < input.json',
      text: 'arguments from a file',
    },
  ],
  options: [
    { name: 'dir', value: 'DIR', multiple: true, text: 'where packages are (this folder unless told)' },
    { name: 'root', value: 'DIR', text: 'workspace that tools may be lent' },
    ...sessionOptions,
    pinOption,
    { name: 'dry-run', text: 'say what would become of the call and why; nothing runs' },
    { name: 'timeout', value: 'TIME', text: 'end the tool after 2s, 500ms, 5m …' },
  ],
  async run(args, terminal) {
    const target = targetOf(args, terminal);
    const given = target.json === undefined ? {} : await readArguments(target.json, terminal);
    const timeout = args.value('timeout');
    const request = {
      arguments: given,
      timeoutMs: timeout === undefined ? undefined : parseDuration(timeout, 'timeout'),
      signal: terminal.signal,
    };
    const wanted = await sessionFor(args, terminal, target.directories, args.value('root'));
    return withHost(args, terminal, async (host) => {
      const session = await host.session(wanted);
      const tool = target.tool ?? (await soleTool(session, target.directories[0] as string));
      if (args.has('dry-run')) {
        const { tellExplanation } = await import('../explained.js');
        const found = await session.explain({ tool, arguments: given });
        return tellExplanation(found, terminal.principal, args, terminal);
      }
      const first = await showing(tool, args, terminal, () => session.call({ ...request, tool }));
      const answer = await ask(first, { host, session, args, terminal });
      if (args.has('json')) terminal.out(`${JSON.stringify(callDocument(answer))}\n`);
      else print(answer, args, terminal);
      if (args.has('verbose')) terminal.err(`on record: toolwharf audit show ${answer.callId}\n`);
      return exitCode(answer);
    });
  },
};

function showing<T>(tool: string, args: Arguments, terminal: Terminal, work: () => Promise<T>): Promise<T> {
  return args.has('quiet') ? work() : whileShowing(`running ${tool}`, terminal, work);
}

interface Target {
  readonly directories: readonly string[];
  readonly tool?: string;
  readonly json: string | undefined;
}

/** The first word is a path when it looks like one; a folder may be followed by the name of a tool. */
function targetOf(args: Arguments, terminal: Terminal): Target {
  const [first, ...rest] = args.positionals;
  const pair = rest.find((it) => /^[A-Za-z_][\w-]*=/.test(it));
  if (pair !== undefined)
    throw new HostError('usage', `${JSON.stringify(pair)} is not how arguments are written`, {
      hint: `write one JSON object: '{"${pair.slice(0, pair.indexOf('='))}": …}'`,
    });
  if (first === undefined)
    throw new HostError('usage', 'say which tool to call', { hint: 'see "toolwharf call --help"' });
  if (!isPath(first, terminal)) {
    if (rest.length > 1) throw tooMany(rest[1] as string);
    return { directories: args.values('dir'), tool: first, json: rest[0] };
  }
  const path = resolve(terminal.cwd, first);
  if (!existsSync(path))
    throw new HostError('not_found', `there is nothing at ${first}`, { hint: 'check the path' });
  const named = rest[0] !== undefined && !looksLikeJson(rest[0]);
  if (rest.length > (named ? 2 : 1)) throw tooMany(rest.at(-1) as string);
  return {
    directories: [path],
    ...(named ? { tool: rest[0] as string } : {}),
    json: named ? rest[1] : rest[0],
  };
}

function tooMany(word: string): HostError {
  return new HostError('usage', `one JSON object is enough; ${JSON.stringify(word)} is too much`, {
    hint: 'quote the JSON: \'{"name":"value"}\'',
  });
}

/** What looks like a path, or is there, is a path; anything else names a tool. */
function isPath(word: string, terminal: Terminal): boolean {
  return isPackagePath(word, terminal) || existsSync(resolve(terminal.cwd, word));
}

/** Named by a path alone, a package must leave no doubt which tool is meant. */
async function soleTool(session: Session, path: string): Promise<string> {
  const { packages } = await session.packages();
  const broken = packages.find((it) => it.state === 'broken');
  const names = packages.flatMap((it) => it.tools.map((tool) => `${it.id}/${tool.name}`));
  if (names.length === 1 && names[0] !== undefined) return names[0];
  if (names.length > 1) {
    throw new HostError('usage', `${path} has ${names.length} tools; say which`, {
      hint: `one of ${packages.flatMap((it) => it.tools.map((tool) => tool.name)).join(', ')}`,
    });
  }
  if (broken !== undefined) {
    throw new HostError('invalid_manifest', `${path} is not a sound package: ${broken.reasons.join('; ')}`, {
      hint: `see "toolwharf validate ${path}"`,
    });
  }
  const [only] = packages;
  if (only !== undefined && packages.length === 1)
    throw new HostError(
      'unavailable',
      `${only.id} has no tool to call: ${only.reasons.join('; ') || only.state}`,
    );
  throw new HostError('not_found', `${path} holds no tool`, {
    hint: 'name a manifest, or a folder with packages',
  });
}

interface Asking {
  readonly host: Host;
  readonly session: Session;
  readonly args: Arguments;
  readonly terminal: Terminal;
}

/** At a terminal a held call is put to the person there and then. */
async function ask(answer: Answer, { host, session, args, terminal }: Asking): Promise<Answer> {
  if (
    answer.status !== 'confirmation_required' ||
    args.has('no-input') ||
    // To approve is named, never taken for granted.
    args.has('yes') ||
    args.has('json') ||
    !terminal.stdinIsTerminal
  )
    return answer;
  const { token, tool } = answer.confirmation;
  terminal.err(
    `${visibleLine(tool)} waits for you\n${printFacts(heldFacts(answer.confirmation), terminal.columns)}`,
  );
  const agreed = await terminal.confirm('Run it once?');
  // Whoever leaves decides nothing: the call goes on waiting.
  if (terminal.signal.aborted) throw new HostError('canceled', 'interrupted');
  if (!agreed) {
    await host.approvals.deny(token, { name: terminal.principal, channel: 'terminal' });
  } else {
    await host.approvals.approve(token, await operatorHere(host, args, terminal));
  }
  const request = { arguments: { confirmation_token: token }, signal: terminal.signal };
  return showing(tool, args, terminal, () => session.call({ ...request, tool: confirmToolName }));
}

function exitCode(answer: Answer): number {
  if (answer.status === 'ok') return 0;
  return errorTable[answer.status === 'confirmation_required' ? 'approval_required' : answer.error.code].exit;
}

function print(answer: Answer, args: Arguments, terminal: Terminal): void {
  switch (answer.status) {
    case 'ok': {
      const text = typeof answer.result === 'string' ? answer.result : JSON.stringify(answer.result, null, 2);
      terminal.out(`${terminal.stdoutIsTerminal ? visible(text) : text}\n`);
      if (args.has('quiet')) return;
      for (const warning of answer.warnings) terminal.err(`warning: ${visible(warning)}\n`);
      if (answer.log !== undefined && args.has('verbose')) terminal.err(`${visible(answer.log)}\n`);
      return;
    }
    case 'confirmation_required': {
      const { token, reasons } = answer.confirmation;
      terminal.err(`held: ${answer.tool} needs a person's approval: ${visible(reasons.join('; '))}\n`);
      if (args.has('yes')) terminal.err('  --yes approves nothing: a held call is named\n');
      terminal.err(`  approve it: toolwharf approvals approve ${token}\n  then make the same call again\n`);
      return;
    }
    default: {
      const { message, hint } = answer.error;
      terminal.err(`error: ${visible(message)}\n${hint === undefined ? '' : `  ${visible(hint)}\n`}`);
    }
  }
}
