import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RemoteSession } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { callDocument } from '../../print/call-document.js';
import { openAgreeingSession } from '../agreeing-session.js';
import { looksLikeJson, readArguments } from '../call-arguments.js';
import { outputFile, saveResult } from '../call-result.js';
import { parseDuration } from '../command/arguments.js';
import type { Arguments, Command } from '../command/command.js';
import { dirOption, rootOption, sessionOptions, setOption } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { isPackagePath } from '../package-path.js';
import { pinOption } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { answerExit, callAtTerminal, printAnswer } from '../terminal-call.js';
import { unusedGrantsMember, warnAboutInactive } from '../waivers.js';
import { withHost } from '../with-host.js';

export const call: Command = {
  name: 'call',
  summary: 'Run one tool in the sandbox, with only the access that its manifest declares.',
  usage: 'call PKG/TOOL|FILE|FOLDER [TOOL] [JSON|-] [options]',
  examples: [
    { line: `toolwharf call ./word_count.py '{"text":"a b"}'`, text: 'run a tool from a file' },
    { line: `toolwharf call ./weather get_forecast '{"city":"Oslo"}'`, text: 'run one tool of a folder' },
    {
      line: 'toolwharf call --dir tools word_count/word_count - < input.json',
      text: 'read the arguments from a file',
    },
  ],
  options: [
    dirOption,
    rootOption,
    setOption,
    ...sessionOptions,
    pinOption,
    { name: 'dry-run', text: 'show the decision and its reasons, without running the tool' },
    { name: 'output', value: 'FILE', text: 'write the result to a new file; binary results as bytes' },
    { name: 'timeout', value: 'TIME', text: 'stop the tool after TIME, such as 500ms, 2s or 5m' },
  ],
  async run(args, terminal) {
    const target = targetOf(args, terminal);
    const callArguments = target.json === undefined ? {} : await readArguments(target.json, terminal);
    const file = outputFile(args, terminal);
    const timeout = args.value('timeout');
    const request = {
      arguments: callArguments,
      timeoutMs: timeout === undefined ? undefined : parseDuration(timeout, 'timeout'),
      signal: terminal.signal,
    };
    const options = await sessionFor(args, terminal, target.directories, args.value('root'));
    return withHost(args, terminal, async (host) => {
      const session = await openAgreeingSession(host, options, target.directories, args, terminal);
      const tool = target.tool ?? (await soleTool(session, target.directories[0] as string));
      if (args.has('dry-run')) {
        const { outputExplanation } = await import('../explanation-output.js');
        const explanation = await session.explain({ tool, arguments: callArguments });
        return outputExplanation(explanation, terminal.principal, args, terminal);
      }
      await warnAboutInactive(session, args, terminal);
      const answer = await callAtTerminal({ ...request, tool }, { host, session, args, terminal });
      if (file !== undefined && answer.status === 'ok') saveResult(answer, file, args, terminal);
      else if (args.has('json')) {
        const unused = unusedGrantsMember(await session.waivers(), args);
        terminal.out(`${JSON.stringify({ ...callDocument(answer), ...unused })}\n`);
      } else printAnswer(answer, args, terminal);
      if (args.has('verbose')) terminal.err(`audit entries: toolwharf audit show ${answer.callId}\n`);
      return answerExit(answer);
    });
  },
};

interface Target {
  readonly directories: readonly string[];
  readonly tool?: string;
  readonly json: string | undefined;
}

/** The first argument is a path if it looks like one or exists. After a path, a tool name may follow. */
function targetOf(args: Arguments, terminal: Terminal): Target {
  const [first, ...rest] = args.positionals;
  const pair = rest.find((it) => /^[A-Za-z_][\w-]*=/.test(it));
  if (pair !== undefined)
    throw new HostError('usage', `arguments are not written as ${JSON.stringify(pair)}`, {
      hint: `write one JSON object: '{"${pair.slice(0, pair.indexOf('='))}": …}'`,
    });
  if (first === undefined)
    throw new HostError('usage', 'name the tool to call', { hint: 'see "toolwharf call --help"' });
  if (!isPath(first, terminal)) {
    if (rest.length > 1) throw tooMany(rest[1] as string);
    return { directories: args.values('dir'), tool: first, json: rest[0] };
  }
  const path = resolve(terminal.cwd, first);
  if (!existsSync(path))
    throw new HostError('not_found', `no such file or folder: ${first}`, { hint: 'check the path' });
  const toolNamed = rest[0] !== undefined && !looksLikeJson(rest[0]);
  if (rest.length > (toolNamed ? 2 : 1)) throw tooMany(rest.at(-1) as string);
  return {
    directories: [path],
    ...(toolNamed ? { tool: rest[0] as string } : {}),
    json: toolNamed ? rest[1] : rest[0],
  };
}

function tooMany(word: string): HostError {
  return new HostError('usage', `unexpected argument ${JSON.stringify(word)}: a call takes one JSON object`, {
    hint: 'quote the JSON: \'{"name":"value"}\'',
  });
}

function isPath(word: string, terminal: Terminal): boolean {
  return isPackagePath(word, terminal) || existsSync(resolve(terminal.cwd, word));
}

/** The only tool at a path; an error if there are none or several. */
async function soleTool(session: RemoteSession, path: string): Promise<string> {
  const { packages } = await session.packages();
  const broken = packages.find((it) => it.state === 'broken');
  const names = packages.flatMap((it) => it.tools.map((tool) => `${it.id}/${tool.name}`));
  if (names.length === 1 && names[0] !== undefined) return names[0];
  if (names.length > 1) {
    throw new HostError('usage', `${path} has ${names.length} tools; name one`, {
      hint: `use one of ${packages.flatMap((it) => it.tools.map((tool) => tool.name)).join(', ')}`,
    });
  }
  if (broken !== undefined) {
    throw new HostError('invalid_manifest', `${path} is not a valid package: ${broken.reasons.join('; ')}`, {
      hint: `see "toolwharf validate ${path}"`,
    });
  }
  const [only] = packages;
  if (only !== undefined && packages.length === 1)
    throw new HostError(
      'unavailable',
      `${only.id} has no tools to call: ${only.reasons.join('; ') || only.state}`,
    );
  throw new HostError('not_found', `no tools found in ${path}`, {
    hint: 'name a manifest, or a folder with packages',
  });
}
