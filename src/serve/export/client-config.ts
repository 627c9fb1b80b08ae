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
  const name = safeFileName(agent.package.id);
  const entry = client.entry({ kind: 'stdio', ...start }, name);
  return [{ path, text: client.syntax.set('', [...client.container, name], entry) }];
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
