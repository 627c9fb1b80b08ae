import { isWithin } from '../../../files/path-containment.js';
import type { InstallationOrigin } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { settingOriginText } from '../../print/config.js';
import { type NamedPath, printOrigin } from '../../print/origin.js';
import type { Arguments, Command } from '../command/command.js';
import { dirOption, loadConfig, sessionOptions } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { namedPackage } from '../lifecycle-session.js';
import type { Terminal } from '../terminal/terminal.js';
import { lookAtHost } from '../with-host.js';

export const why: Command = {
  name: 'why',
  summary: 'Show who asked for a package: the person, plan and lock file, or the path that names it.',
  usage: 'why PACKAGE [--dir DIR]…',
  examples: [
    { line: 'toolwharf why weather', text: 'who installed it, when, from where' },
    { line: 'toolwharf why chart --dir tools', text: 'a package in a folder' },
    { line: 'toolwharf why weather --json', text: 'print JSON for a script' },
  ],
  options: [dirOption, ...sessionOptions],
  async run(args, terminal) {
    const id = namedPackage(args, 'why');
    const options = await sessionFor(args, terminal, args.values('dir'));
    const { installed, linked } = await lookAtHost(args, terminal, async (host) => {
      const session = await host.session({ ...options, intent: 'look' });
      const list = await session.installations.list();
      const isInstalled = list.some((it) => it.package === id);
      const { packages } = await session.packages();
      const paths = packages
        .filter((it) => it.id === id && options.directories.some((folder) => isWithin(it.path, folder)))
        .map((it) => it.path);
      return { installed: isInstalled ? await session.installations.why(id) : undefined, linked: paths };
    });
    if (installed === undefined && linked.length === 0)
      throw new HostError('not_found', `no package ${JSON.stringify(id)} is installed or at a path`, {
        hint: 'see "toolwharf list"; name a folder with --dir',
      });
    const places = await namedPlaces(linked, options.directories, args, terminal);
    terminal.out(args.has('json') ? document(id, installed, places) : printOrigin(id, installed, places));
    return 0;
  },
};

function document(
  id: string,
  installed: InstallationOrigin | undefined,
  linked: readonly NamedPath[],
): string {
  const parts = installed === undefined ? { linked } : { installed, linked };
  return `${JSON.stringify({ schema: 'toolwharf/why@1', package: id, ...parts })}\n`;
}

/** Which option, setting or default made a session look at these paths. */
async function namedPlaces(
  paths: readonly string[],
  directories: readonly string[],
  args: Arguments,
  terminal: Terminal,
): Promise<readonly NamedPath[]> {
  const { entries } = await loadConfig(args, terminal);
  const configured = entries.find((it) => it.key === 'paths');
  const isConfigured = Array.isArray(configured?.value) && configured.value.length > 0;
  const origin = isConfigured ? configured?.origins[0] : undefined;
  const dirs = args.values('dir');
  return paths.map((path) => {
    const index = directories.findIndex((it) => isWithin(path, it));
    const namedBy =
      dirs.length > 0
        ? `--dir ${dirs[index] ?? dirs.join(' ')}`
        : origin !== undefined
          ? `the setting paths (${settingOriginText(origin)})`
          : 'this folder: no path is configured';
    return { path, namedBy };
  });
}
