import type { Client } from '../clients/client.js';
import { type Agent, fileName, hasTools } from './agent.js';
import type { ExportFile, Start } from './target.js';

/** The client's file with this agent as its only server; none for an agent that has only words. */
export function configFile(agent: Agent, client: Client, start: Start, path: string): readonly ExportFile[] {
  if (!hasTools(agent)) return [];
  const entry = client.entry({ kind: 'stdio', ...start });
  return [{ path, text: jsonText({ [client.container]: { [fileName(agent.package.id)]: entry } }) }];
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
