import type { LoadFormats } from '../terminal/terminal.js';
import type { Command } from './command.js';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** `reads`: starts no program of a package, mounts nothing and accepts nothing. With --dry-run every command reads. */
  readonly effect: 'reads' | 'acts';
  /** Internal command: it works, but the help does not list it. */
  readonly hidden?: boolean;
  /** `loadFormats`: for commands whose help or work depends on the formats. */
  load(loadFormats: LoadFormats): Promise<Command>;
}

export const commands: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'create a working package to start from',
    effect: 'acts',
    load: async (formats) => (await import('../commands/init.js')).initCommand(await formats()),
  },
  {
    name: 'validate',
    summary: 'check manifests and show how to fix them',
    effect: 'reads',
    load: async (formats) => (await import('../commands/validate.js')).validateCommand(await formats()),
  },
  {
    name: 'list',
    summary: 'show packages and their state',
    effect: 'reads',
    load: async () => (await import('../commands/list.js')).listCommand,
  },
  {
    name: 'info',
    summary: 'show what a package does and what it asks for',
    effect: 'reads',
    load: async () => (await import('../commands/info.js')).info,
  },
  {
    name: 'call',
    summary: 'run one tool in the sandbox',
    effect: 'acts',
    load: async () => (await import('../commands/call.js')).call,
  },
  {
    name: 'dev',
    summary: 'work on a package: check, call and reload on save',
    effect: 'acts',
    load: async (formats) => (await import('../commands/dev.js')).devCommand(await formats()),
  },
  {
    name: 'test',
    summary: 'run the examples and saved cases of a package',
    effect: 'acts',
    load: async (formats) => (await import('../commands/test.js')).testCommand(await formats()),
  },
  {
    name: 'serve',
    summary: 'run the host and accept clients',
    effect: 'acts',
    load: async () => (await import('../commands/serve.js')).serve,
  },
  {
    name: 'mcp',
    summary: 'serve tools to an MCP client over stdio',
    effect: 'acts',
    load: async () => (await import('../commands/mcp.js')).mcp,
  },
  {
    name: 'pin',
    summary: "set the operator's PIN",
    effect: 'acts',
    load: async () => (await import('../commands/pin.js')).pin,
  },
  {
    name: 'token',
    summary: 'create and revoke tokens for HTTP clients',
    effect: 'acts',
    load: async () => (await import('../commands/token.js')).token,
  },
  {
    name: 'connect',
    summary: "add Toolwharf to a client's configuration",
    effect: 'acts',
    load: async () => (await import('../commands/connect.js')).connect,
  },
  {
    name: 'export',
    summary: 'write an agent as files for a client',
    effect: 'acts',
    load: async (formats) => (await import('../commands/export.js')).exportCommand(await formats()),
  },
  {
    name: 'secret',
    summary: 'store the secrets and settings that packages ask for',
    effect: 'acts',
    load: async () => (await import('../commands/secret.js')).secret,
  },
  {
    name: 'install',
    summary: "install a package's dependencies",
    effect: 'acts',
    load: async () => (await import('../commands/install.js')).install,
  },
  {
    name: 'review',
    summary: 'review and accept changes to a package',
    effect: 'acts',
    load: async () => (await import('../commands/review.js')).review,
  },
  {
    name: 'enable',
    summary: 'enable a disabled package',
    effect: 'acts',
    load: async () => (await import('../commands/enable.js')).enable,
  },
  {
    name: 'disable',
    summary: 'disable a package',
    effect: 'acts',
    load: async () => (await import('../commands/disable.js')).disable,
  },
  {
    name: 'kill',
    summary: 'stop calls immediately and block new ones',
    effect: 'acts',
    load: async () => (await import('../commands/kill.js')).kill,
  },
  {
    name: 'quarantine',
    summary: 'restore or delete files that were moved aside',
    effect: 'acts',
    load: async () => (await import('../commands/quarantine.js')).quarantine,
  },
  {
    name: 'approvals',
    summary: 'approve or deny held calls',
    effect: 'acts',
    load: async () => (await import('../commands/approvals.js')).approvals,
  },
  {
    name: 'policy',
    summary: 'explain which rule decides a call',
    effect: 'acts',
    load: async () => (await import('../commands/policy.js')).policy,
  },
  {
    name: 'audit',
    summary: 'read and verify the audit log',
    effect: 'acts',
    load: async () => (await import('../commands/audit.js')).audit,
  },
  {
    name: 'doctor',
    summary: 'check this machine and show how to fix problems',
    effect: 'reads',
    load: async () => (await import('../commands/doctor.js')).doctor,
  },
  {
    name: 'config',
    summary: 'show settings and where they come from',
    effect: 'reads',
    load: async () => (await import('../commands/config.js')).config,
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of a manifest format',
    effect: 'reads',
    load: async (formats) => (await import('../commands/schema.js')).schemaCommand(await formats()),
  },
  {
    name: 'explain',
    summary: 'explain a diagnostic or error code',
    effect: 'reads',
    load: async (formats) => (await import('../commands/explain.js')).explainCommand(await formats()),
  },
  {
    name: 'host',
    summary: 'run the host in the background',
    effect: 'acts',
    hidden: true,
    load: async () => (await import('../commands/host.js')).host,
  },
];
