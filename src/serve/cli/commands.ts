import type { Command } from './command.js';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Works, but is not for people. */
  readonly hidden?: boolean;
  load(): Promise<Command>;
}

export const commands: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'make a working package to start from',
    load: async () => (await import('./commands/init.js')).init,
  },
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
    name: 'info',
    summary: 'show what a package is, can do and wants',
    load: async () => (await import('./commands/info.js')).info,
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
    name: 'pin',
    summary: "set the operator's PIN",
    load: async () => (await import('./commands/pin.js')).pin,
  },
  {
    name: 'token',
    summary: 'let clients in over HTTP',
    load: async () => (await import('./commands/token.js')).token,
  },
  {
    name: 'connect',
    summary: "put Toolwharf into a client's configuration",
    load: async () => (await import('./commands/connect.js')).connect,
  },
  {
    name: 'export',
    summary: 'write an agent out as files for a client',
    load: async () => (await import('./commands/export.js')).exportAgent,
  },
  {
    name: 'secret',
    summary: 'keep credentials that packages ask for',
    load: async () => (await import('./commands/secret.js')).secret,
  },
  {
    name: 'install',
    summary: 'fetch what a package needs',
    load: async () => (await import('./commands/install.js')).install,
  },
  {
    name: 'review',
    summary: 'see and accept what changed in a held package',
    load: async () => (await import('./commands/review.js')).review,
  },
  {
    name: 'enable',
    summary: 'switch a package on again',
    load: async () => (await import('./commands/enable.js')).enable,
  },
  {
    name: 'disable',
    summary: 'switch a package off',
    load: async () => (await import('./commands/disable.js')).disable,
  },
  {
    name: 'kill',
    summary: 'stop calls at once, and keep them stopped',
    load: async () => (await import('./commands/kill.js')).kill,
  },
  {
    name: 'approvals',
    summary: 'decide on calls that wait for a person',
    load: async () => (await import('./commands/approvals.js')).approvals,
  },
  {
    name: 'policy',
    summary: 'say which rule decides on a call, and why',
    load: async () => (await import('./commands/policy.js')).policy,
  },
  {
    name: 'audit',
    summary: 'read and verify the record of all calls',
    load: async () => (await import('./commands/audit.js')).audit,
  },
  {
    name: 'doctor',
    summary: 'find out what this machine can hold, and how to mend it',
    load: async () => (await import('./commands/doctor.js')).doctor,
  },
  {
    name: 'config',
    summary: 'show what is configured, and by whom',
    load: async () => (await import('./commands/config.js')).config,
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of a format',
    load: async () => (await import('./commands/schema.js')).schema,
  },
  {
    name: 'explain',
    summary: 'explain a code of a finding or of an error',
    load: async () => (await import('./commands/explain.js')).explain,
  },
  {
    name: 'host',
    summary: 'be the host in the background',
    hidden: true,
    load: async () => (await import('./commands/host.js')).host,
  },
];
