import type { Host } from '../../host/host.js';
import { openPageServer, type PageServer } from '../http/approval-page/page-server.js';
import type { Arguments } from './command/command.js';
import { loadConfig, settingOf } from './config/config.js';
import type { Terminal } from './terminal/terminal.js';

/** The page of held calls for a host without an HTTP server. Undefined if the configuration does not ask for it. */
export async function openConfiguredPage(
  host: Host,
  args: Arguments,
  terminal: Terminal,
): Promise<PageServer | undefined> {
  const { entries } = await loadConfig(args, terminal);
  if (settingOf(entries, 'approvals.page') !== true) return undefined;
  return openPageServer(host, { now: Date.now, onBug: (error) => terminal.err(`${String(error)}\n`) });
}

/** What somebody with a link can do, for the person who starts the host. */
export async function pageWarning(host: Host): Promise<string> {
  const { set } = await host.operator.pin();
  return set
    ? ''
    : 'warning: no PIN is set, so anyone who has the link to a held call can approve it, also an agent; set one: toolwharf pin set\n';
}
