import type { SessionOptions } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { openSocketServer } from '../../socket/server.js';
import { socketPath } from '../../socket/socket-path.js';
import { lockedExit } from '../../socket/start-host.js';
import { waitForAbort } from '../abort-signal.js';
import { parseDuration, stateDirectory } from '../command/arguments.js';
import type { Command } from '../command/command.js';
import { auditLocations } from '../config/audit-locations.js';
import { configFileFor } from '../config/config-paths.js';
import { exemptionFile } from '../config/exemption-file.js';
import { RollbackWarnings } from '../rollback-warnings.js';
import { ServedConsoles } from '../served-consoles.js';
import { openConfiguredPage } from '../served-page.js';

export const host: Command = {
  name: 'host',
  summary: 'Run the host of a state directory in the background. "toolwharf mcp" starts it automatically.',
  usage: 'host [--idle TIME] [--hand-over]',
  examples: [{ line: 'toolwharf host --idle 5m', text: 'stop after five minutes without a client' }],
  options: [
    { name: 'idle', value: 'TIME', text: 'stop after this time without a client (default: 1m)' },
    { name: 'hand-over', text: 'stop when "toolwharf serve" takes over; "toolwharf mcp" starts it this way' },
  ],
  async run(args, terminal) {
    const state = stateDirectory(args, terminal.environment, terminal.cwd);
    const idleMs = parseDuration(args.value('idle') ?? terminal.environment.TOOLWHARF_IDLE ?? '1m', 'idle');
    const log = (text: string) => terminal.err(`${new Date().toISOString()} ${text}\n`);
    const onReload = (lines: readonly string[]) => {
      for (const line of lines) log(line);
    };
    const audit = await auditLocations(args, terminal);
    const rollbacks = new RollbackWarnings((text) => log(text.trimEnd()));
    const onRollback = rollbacks.report;
    const running = await terminal.startHost({ state, onReload, onRollback, audit }).catch((error) => error);
    if (running instanceof HostError && running.code === 'state_locked') {
      log(running.message);
      return lockedExit;
    }
    if (running instanceof Error) throw running;
    const idle = new AbortController();
    const server = await openSocketServer(running, {
      path: socketPath(state),
      version: terminal.version,
      state,
      now: Date.now,
      idleMs,
      onIdle: () => idle.abort(),
      handover: args.has('hand-over')
        ? {
            kind: 'background',
            onHandover: () => {
              log('another process takes over');
              idle.abort();
            },
          }
        : { kind: 'foreground', describe: () => 'somebody started it as "toolwharf host"' },
      onBug: (error) => log(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    });
    const page = await openConfiguredPage(running, args, terminal);
    const consoles = new ServedConsoles(running, {
      folder: terminal.resource('dist/console'),
      version: terminal.version,
      exemptions: exemptionFile(configFileFor('user', args, terminal)),
      hold: () => server.hold(),
      onBug: (error) => log(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    });
    running.consoleAccess.serveWith((session: SessionOptions) => consoles.serve(session));
    await rollbacks.reportAll(running);
    log(`host ${terminal.version} started (process ${process.pid})`);
    if (page !== undefined) log(`pages of held calls at ${page.url}`);
    await waitForAbort(AbortSignal.any([terminal.signal, idle.signal]));
    await page?.close();
    await consoles.close();
    await server.close();
    await running.close();
    log('host stopped');
    return 0;
  },
};
