import { HostError } from '../../../model/host-error.js';
import { readArguments } from '../call-arguments.js';
import type { Command } from '../command/command.js';
import { dirOption, rootOption, sessionOptions } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { outputExplanation } from '../explanation-output.js';
import { withHost } from '../with-host.js';

export const policy: Command = {
  name: 'policy',
  summary: 'Explain what would happen to a call, which rule decides and why. Nothing runs.',
  usage: 'policy explain PKG/TOOL [JSON|-] [options]',
  examples: [
    { line: 'toolwharf policy explain payments/pay', text: 'what applies to a tool' },
    { line: `toolwharf policy explain payments/pay '{"amount":900}'`, text: 'what would happen to one call' },
    { line: 'toolwharf policy explain payments/pay --dir tools --json', text: 'print JSON for a script' },
  ],
  options: [
    dirOption,
    rootOption,
    { name: 'as', value: 'NAME', text: 'explain for another caller, such as alice/mcp' },
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const [verb, tool, text, ...more] = args.positionals;
    if (verb !== 'explain' || tool === undefined || more.length > 0)
      throw new HostError('usage', 'name a tool: toolwharf policy explain PKG/TOOL [JSON]', {
        hint: 'see "toolwharf policy --help"',
      });
    const callArguments = text === undefined ? undefined : await readArguments(text, terminal);
    const options = await sessionFor(args, terminal, args.values('dir'), args.value('root'));
    const principal = args.value('as') ?? options.principal;
    const explanation = await withHost(args, terminal, async (host) => {
      const session = await host.session({ ...options, principal });
      return session.explain({ tool, arguments: callArguments });
    });
    return outputExplanation(explanation, principal, args, terminal);
  },
};
