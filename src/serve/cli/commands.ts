import type { Command } from './command.js';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Works, but is not for people. */
  readonly hidden?: boolean;
  /** A command costs nothing until it is used. */
  load(): Promise<Command>;
}

export const commands: readonly CommandEntry[] = [
  {
    name: 'validate',
    summary: 'check manifests and say how to mend them',
    load: async () => (await import('./commands/validate.js')).validate,
  },
  {
    name: 'list',
    summary: 'show packages with their state',
    load: async () => (await import('./commands/list.js')).list,
  },
  {
    name: 'call',
    summary: 'run one tool, confined',
    load: async () => (await import('./commands/call.js')).call,
  },
  {
    name: 'serve',
    summary: 'be the host in the foreground',
    load: async () => (await import('./commands/serve.js')).serve,
  },
  {
    name: 'mcp',
    summary: 'serve tools to an MCP client over stdio',
    load: async () => (await import('./commands/mcp.js')).mcp,
  },
  {
    name: 'approvals',
    summary: 'decide on calls that wait for a person',
    load: async () => (await import('./commands/approvals.js')).approvals,
  },
  {
    name: 'audit',
    summary: 'read and verify the record of all calls',
    load: async () => (await import('./commands/audit.js')).audit,
  },
  {
    name: 'host',
    summary: 'be the host in the background',
    hidden: true,
    load: async () => (await import('./commands/host.js')).host,
  },
];
