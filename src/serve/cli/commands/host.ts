import { HostError } from '../../../model/host-error.js';
import { lockedExit } from '../../socket/launch.js';
import { socketPath } from '../../socket/path.js';
import { listen } from '../../socket/server.js';
import { aborted } from '../aborted.js';
import { parseDuration, stateDirectory } from '../arguments.js';
import { auditPlaces } from '../audit-places.js';
import type { Command } from '../command.js';

export const host: Command = {
  name: 'host',
  summary: 'Be the host of a state directory in the background; "toolwharf mcp" starts it by itself.',
  usage: 'host [--idle TIME]',
  examples: [{ line: 'toolwharf host --idle 5m', text: 'end after five minutes without a client' }],
  options: [{ name: 'idle', value: 'TIME', text: 'end after this time without a client (1m unless told)' }],
  async run(args, terminal) {
    const state = stateDirectory(args, terminal.environment, terminal.cwd);
    const idleMs = parseDuration(args.value('idle') ?? terminal.environment.TOOLWHARF_IDLE ?? '1m', 'idle');
    const log = (text: string) => terminal.err(`${new Date().toISOString()} ${text}\n`);
    const onReload = (lines: readonly string[]) => {
      for (const line of lines) log(line);
    };
    const audit = await auditPlaces(args, terminal);
    const running = await terminal.startHost({ state, onReload, audit }).catch((error) => error);
    if (running instanceof HostError && running.code === 'state_locked') {
      log(running.message);
      return lockedExit;
    }
    if (running instanceof Error) throw running;
    const idle = new AbortController();
    const server = await listen(running, {
      path: socketPath(state),
      version: terminal.version,
      now: Date.now,
      idleMs,
      onIdle: () => idle.abort(),
      onBug: (error) => log(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    });
    log(`host ${terminal.version} started (process ${process.pid})`);
    await aborted(AbortSignal.any([terminal.signal, idle.signal]));
    await server.close();
    await running.close();
    log('host ended');
    return 0;
  },
};
