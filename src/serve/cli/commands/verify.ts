import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import { changeProgress } from '../change-progress.js';
import type { Command } from '../command/command.js';
import { allowedFor, lifecycleOptions, openLifecycleSession } from '../lifecycle-session.js';
import { withHost } from '../with-host.js';

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Check the files of installed packages, and run their smoke tests again.',
  usage: 'verify PACKAGE | --all',
  examples: [
    { line: 'toolwharf verify weather', text: 'test one package' },
    { line: 'toolwharf verify --all', text: 'test every installed package' },
    { line: 'toolwharf verify weather --json', text: 'print JSON for a script' },
  ],
  options: [{ name: 'all', text: 'every installed package' }, ...lifecycleOptions],
  async run(args, terminal) {
    if (args.has('all') === args.positionals.length > 0 || args.positionals.length > 1)
      throw new HostError('usage', 'name one installed package, or use --all');
    const [id] = args.positionals;
    const allowed = id === undefined ? args : allowedFor(id, args);
    const results = await withHost(args, terminal, async (host) => {
      const { installations } = await openLifecycleSession(host, allowed, terminal, 'use');
      const all = args.has('all') ? (await installations.list()).filter((it) => it.state === 'active') : [];
      const ids = args.has('all') ? all.map((it) => it.package) : args.positionals;
      const options = { signal: terminal.signal, onProgress: changeProgress(args, terminal) };
      const found = [];
      for (const id of ids) found.push({ package: id, ...(await installations.verify(id, options)) });
      return found;
    });
    if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/verify@1', results })}\n`);
    else if (results.length === 0) terminal.out('no package is installed\n');
    else
      for (const { package: id, status, detail } of results) {
        const text = {
          passed: 'works',
          failed: 'does not work',
          skipped: 'not tested',
          none: 'has no smoke test',
        };
        terminal.out(
          `${visibleLine(`${id}  ${text[status]}${detail === undefined ? '' : `: ${detail}`}`)}\n`,
        );
      }
    return results.some((it) => it.status === 'failed') ? 1 : 0;
  },
};
