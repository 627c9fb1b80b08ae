import { readFileSync } from 'node:fs';
import { HostError } from '../../../model/host-error.js';
import type { Json } from '../../../model/json.js';
import { answerLimits, parseBounded } from '../../../model/json-bounds.js';
import { readArguments } from '../call-arguments.js';
import type { Arguments, Command } from '../command/command.js';
import { dirOption, rootOption, sessionOptions, setOption } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { dryRunOption } from '../dry-run.js';
import { outputExplanation } from '../explanation-output.js';
import { pinOption } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { acceptWaivers, listWaivers, revokeWaiver } from '../waivers.js';
import { withHost } from '../with-host.js';

export const policy: Command = {
  name: 'policy',
  summary: 'Explain what would happen to a call and why; accept settings that waive a question.',
  usage: 'policy explain PKG/TOOL [JSON|-] [--result FILE] | list | accept [ID…] | revoke ID',
  examples: [
    { line: 'toolwharf policy explain payments/pay', text: 'what applies to a tool' },
    { line: `toolwharf policy explain payments/pay '{"amount":900}'`, text: 'what would happen to one call' },
    { line: 'toolwharf policy explain payments/pay --dir tools --json', text: 'print JSON for a script' },
    {
      line: 'toolwharf policy explain crm/find --result answer.json',
      text: 'what the scanner removes from an answer, and how to keep it',
    },
    { line: 'toolwharf policy list', text: 'show the settings that waive a question or a protection' },
    { line: 'toolwharf policy accept', text: 'look at those without effect and accept them with the PIN' },
    {
      line: 'toolwharf policy accept --allow net:127.0.0.1:8080',
      text: 'accept a grant before a client uses it',
    },
    { line: 'toolwharf policy revoke 3f9a0c1b22d4', text: 'a setting has no effect again' },
  ],
  options: [
    dirOption,
    rootOption,
    { name: 'as', value: 'NAME', text: 'explain for another caller, such as alice/mcp' },
    {
      name: 'result',
      value: 'FILE',
      text: 'explain what the scanner removes from an answer in this JSON file',
    },
    setOption,
    ...sessionOptions,
    pinOption,
    dryRunOption,
  ],
  async run(args, terminal) {
    const [verb, ...rest] = args.positionals;
    switch (verb) {
      case 'explain':
        return explain(rest, args, terminal);
      case 'accept':
        return acceptWaivers(rest, args, terminal);
      case 'list':
        if (rest.length > 0) throw usage();
        return listWaivers(args, terminal);
      case 'revoke':
        if (rest.length > 1) throw usage();
        return revokeWaiver(rest[0], args, terminal);
      default:
        throw usage();
    }
  },
};

function usage(): HostError {
  return new HostError(
    'usage',
    'name a subcommand: explain PKG/TOOL [JSON], list, accept [ID…] or revoke ID',
    {
      hint: 'see "toolwharf policy --help"',
    },
  );
}

async function explain(rest: readonly string[], args: Arguments, terminal: Terminal): Promise<number> {
  const [tool, text, ...more] = rest;
  if (tool === undefined || more.length > 0)
    throw new HostError('usage', 'name a tool: toolwharf policy explain PKG/TOOL [JSON]', {
      hint: 'see "toolwharf policy --help"',
    });
  const callArguments = text === undefined ? undefined : await readArguments(text, terminal);
  const file = args.value('result');
  const result = file === undefined ? undefined : readResult(file);
  const options = await sessionFor(args, terminal, args.values('dir'), args.value('root'));
  const principal = args.value('as') ?? options.principal;
  const explanation = await withHost(args, terminal, async (host) => {
    const session = await host.session({ ...options, principal, intent: 'look' });
    return session.explain({ tool, arguments: callArguments, result });
  });
  return outputExplanation(explanation, principal, args, terminal);
}

/** An answer as `call --json` prints it, or its value alone. */
function readResult(file: string): Json {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new HostError('usage', `--result: ${file} cannot be read`, {
      cause: error,
      hint: 'name a JSON file with an answer of the tool',
    });
  }
  try {
    return parseBounded(text, answerLimits);
  } catch (error) {
    throw new HostError('usage', `--result: ${file} is not JSON: ${(error as Error).message}`, {
      cause: error,
      hint: 'name a JSON file with an answer of the tool',
    });
  }
}
