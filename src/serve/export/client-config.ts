import type { Client } from '../clients/client.js';
import { type Agent, hasTools, safeFileName } from './agent.js';
import type { ExportFile, StartCommand } from './target.js';

/** The client's configuration file with this agent as its only server; none for an agent without tools. */
export function configFile(
  agent: Agent,
  client: Client,
  start: StartCommand,
  path: string,
): readonly ExportFile[] {
  if (!hasTools(agent)) return [];
  const entry = client.entry({ kind: 'stdio', ...start });
  return [{ path, text: jsonText({ [client.container]: { [safeFileName(agent.package.id)]: entry } }) }];
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
