import { HostError } from '../../../model/host-error.js';
import { withHost } from '../attach.js';
import { readArguments } from '../call-arguments.js';
import type { Command } from '../command.js';
import { sessionOptions } from '../config.js';
import { tellExplanation } from '../explained.js';
import { sessionFor } from '../session-options.js';

export const policy: Command = {
  name: 'policy',
  summary: 'Say what would happen to a call, which rule decides and why. Nothing runs.',
  usage: 'policy explain PKG/TOOL [JSON|-] [options]',
  examples: [
    { line: 'toolwharf policy explain payments/pay', text: 'what holds for a tool' },
    { line: `toolwharf policy explain payments/pay '{"amount":900}'`, text: 'what would happen to one call' },
    { line: 'toolwharf policy explain payments/pay --dir tools --json', text: 'for a script' },
  ],
  options: [
    { name: 'dir', value: 'DIR', multiple: true, text: 'where packages are (this folder unless told)' },
    { name: 'root', value: 'DIR', text: 'workspace that tools may be lent' },
    { name: 'as', value: 'NAME', text: 'for another caller, such as alice/mcp' },
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const [verb, tool, text, ...more] = args.positionals;
    if (verb !== 'explain' || tool === undefined || more.length > 0)
      throw new HostError('usage', 'say which tool: policy explain PKG/TOOL [JSON]', {
        hint: 'see "toolwharf policy --help"',
      });
    const given = text === undefined ? undefined : await readArguments(text, terminal);
    const wanted = await sessionFor(args, terminal, args.values('dir'), args.value('root'));
    const principal = args.value('as') ?? wanted.principal;
    const found = await withHost(args, terminal, async (host) => {
      const session = await host.session({ ...wanted, principal });
      return session.explain({ tool, arguments: given });
    });
    return tellExplanation(found, principal, args, terminal);
  },
};
