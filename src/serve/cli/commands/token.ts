import type { TokenEntry, TokenRole } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import { parseLifetime } from '../command/arguments.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withExistingHost, withHost } from '../with-host.js';

export const token: Command = {
  name: 'token',
  summary: 'Manage tokens of HTTP clients and keys of connected clients. A token is shown once.',
  usage: 'token create NAME [--role ROLE] [--expires TIME] [--may-approve] | list | revoke ID|NAME',
  examples: [
    { line: 'toolwharf token create laptop', text: 'for an agent: it may list and call tools' },
    {
      line: 'toolwharf token create admin --role operator --expires 30d',
      text: 'for a person: it may also approve calls, enable packages and set secrets',
    },
    {
      line: 'toolwharf token create desk --may-approve',
      text: 'for a client in which a person may approve held calls, without the PIN',
    },
    { line: 'toolwharf token create build --expires never', text: 'valid until it is revoked' },
    { line: 'toolwharf token list', text: 'show the tokens and keys by name, without their values' },
    { line: 'toolwharf token revoke laptop', text: 'the token stops working immediately' },
  ],
  options: [
    { name: 'role', value: 'ROLE', text: 'agent or operator (default: agent)' },
    {
      name: 'expires',
      value: 'TIME',
      text: 'how long it is valid, such as 12h or 30d, or never (default: 90d)',
    },
    {
      name: 'may-approve',
      text: 'a person may approve held calls in the client, without the PIN; its agent could too, if it controls the client',
    },
    pinOption,
    dryRunOption,
  ],
  async run(args, terminal) {
    const [verb = 'list', name, ...more] = args.positionals;
    if (verb !== 'create' && ['role', 'expires', 'may-approve'].some((it) => args.has(it)))
      throw new HostError('usage', '--role, --expires and --may-approve work only with "token create"');
    if (more.length > 0) throw new HostError('usage', 'name one token');
    switch (verb) {
      case 'create':
        return create(args, terminal, nameOf(name));
      case 'list':
        if (name !== undefined) throw new HostError('usage', 'token list takes no arguments');
        return list(args, terminal);
      case 'revoke':
        if (name === undefined || name === '')
          throw new HostError('usage', 'name the token to revoke', { hint: 'see "toolwharf token list"' });
        return revoke(args, terminal, name);
      default:
        // The text could be a token in the wrong place, so it is not repeated.
        throw new HostError('usage', 'unknown subcommand of token', { hint: 'use create, list or revoke' });
    }
  },
};

/** The audit log shows the name as the caller. Names with "start-" are reserved for the tokens that `serve` prints. */
function nameOf(name: string | undefined): string {
  if (name === undefined)
    throw new HostError('usage', 'name the token: toolwharf token create NAME', {
      hint: 'use the name of the client or person that will use it',
    });
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name) || /^start-/i.test(name))
    throw new HostError('usage', `${JSON.stringify(name)} is not a valid token name`, {
      hint: 'use letters, digits, dots, dashes and underscores; do not start with "start-"',
    });
  return name;
}

async function create(args: Arguments, terminal: Terminal, name: string): Promise<number> {
  const role = args.value('role') ?? 'agent';
  if (role !== 'agent' && role !== 'operator')
    throw new HostError('usage', `unknown role ${JSON.stringify(role)}`, {
      hint: 'use agent or operator',
    });
  const expires = args.value('expires');
  const expiresAt = expiryOf(expires, Date.now());
  const created = await withHost(args, terminal, async (host) => {
    const known = (await host.tokens.list()).filter((it) => it.kind === 'http' && it.name === name);
    if (known.some((it) => !isExpired(it, Date.now())))
      throw new HostError('usage', `a token named ${name} already exists`, {
        hint: `choose another name, or revoke it first: toolwharf token revoke ${name}`,
      });
    if (isDryRun(args)) return undefined;
    // A token that expired gives its place, its principal and its rules to the new one.
    const replaced = known.find((it) => it.role === role);
    const made = await host.tokens.create({
      name,
      role: role as TokenRole,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(replaced === undefined ? {} : { replaces: replaced.id }),
      mayApprove: args.has('may-approve'),
      by: await terminalOperator(host, args, terminal),
    });
    for (const it of known) await host.tokens.revoke(it.id, terminal.principal);
    return made;
  });
  if (created === undefined) return reportDryRun(`create a token ${name} for an ${role}`, args, terminal);
  if (args.has('json')) {
    const document = { schema: 'toolwharf/token@1', token: created.token, ...entryOf(created.entry) };
    terminal.out(`${JSON.stringify(document)}\n`);
  } else {
    terminal.out(`${created.token}\n`);
    if (!args.has('quiet'))
      terminal.err(`Save it now; it is not shown again. It ${describe(created.entry)}.\n`);
    if (!args.has('quiet') && created.entry.principal !== `http/${name}`)
      terminal.err(
        `An earlier token had the name ${name}. Its held calls and standing rules do not apply to this one, which is ${created.entry.principal}.\n`,
      );
  }
  return 0;
}

/** Undefined: the default of the host. */
function expiryOf(written: string | undefined, now: number): number | null | undefined {
  if (written === undefined) return undefined;
  return written === 'never' ? null : now + parseLifetime(written, 'expires');
}

async function list(args: Arguments, terminal: Terminal): Promise<number> {
  const entries = await withExistingHost(args, terminal, (host) => host.tokens.list());
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/tokens@1', tokens: entries.map(entryOf) })}\n`);
  else if (entries.length === 0) terminal.out('no tokens\n');
  for (const it of args.has('json') ? [] : entries)
    terminal.out(`${visibleLine(`${it.name}  ${it.id}  ${describe(it)}`)}\n`);
  return 0;
}

async function revoke(args: Arguments, terminal: Terminal, named: string): Promise<number> {
  const revoked = await withExistingHost(args, terminal, async (host) => {
    const entries = await host.tokens.list();
    const sameName = entries.filter((it) => it.name === named);
    const found = entries.find((it) => it.id === named) ?? sameName[0];
    if (found?.id !== named && sameName.length > 1)
      throw new HostError('usage', `${sameName.length} tokens and keys have the name ${named}`, {
        hint: `name one by its id: ${sameName.map((it) => it.id).join(', ')}`,
      });
    const done =
      found !== undefined && (isDryRun(args) || (await host.tokens.revoke(found.id, terminal.principal)));
    if (!done)
      // The text could be the token itself, so it is not repeated.
      throw new HostError('not_found', 'no token with that name or id', {
        hint: 'see "toolwharf token list"',
      });
    return found;
  });
  if (isDryRun(args)) return reportDryRun(`revoke ${revoked.name} (${revoked.id})`, args, terminal);
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/tokens@1', tokens: [], revoked: revoked.id })}\n`);
  else if (!args.has('quiet')) terminal.out(`revoked ${visibleLine(revoked.name)}; it no longer works\n`);
  return 0;
}

function entryOf(entry: TokenEntry) {
  const { id, kind, name, role, principal, mayApprove, createdAt, expiresAt, lastUsedAt } = entry;
  return {
    id,
    kind,
    name,
    role,
    principal,
    mayApprove,
    createdAt: time(createdAt),
    expiresAt: expiresAt === null ? null : time(expiresAt),
    lastUsedAt: lastUsedAt === null ? null : time(lastUsedAt),
  };
}

function isExpired({ expiresAt }: TokenEntry, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function describe(entry: TokenEntry): string {
  const { kind, role, principal, mayApprove, createdAt, lastUsedAt } = entry;
  const may =
    role === 'operator' ? 'may list tools, call them and decide on held calls' : 'may list and call tools';
  const until = validity(entry, Date.now());
  const what = kind === 'stdio' ? 'key of a connected client, ' : '';
  const approves = mayApprove ? ', a person may approve held calls in its client' : '';
  const used = lastUsedAt === null ? '' : `, last used ${time(lastUsedAt)}`;
  return `${what}${may} as ${principal}${approves}, created ${time(createdAt)}${used}, ${until}`;
}

function validity({ expiresAt }: TokenEntry, now: number): string {
  if (expiresAt === null) return 'valid until revoked';
  const left = duration(Math.abs(expiresAt - now));
  return expiresAt <= now
    ? `expired ${left} ago, at ${time(expiresAt)}`
    : `expires in ${left}, at ${time(expiresAt)}`;
}

/** In the largest unit that fits twice, so that a whole number is close enough. */
function duration(milliseconds: number): string {
  const units = [
    ['days', 86_400_000],
    ['hours', 3_600_000],
    ['minutes', 60_000],
  ] as const;
  const unit = units.find(([, size]) => milliseconds >= 2 * size);
  return unit === undefined ? 'a minute' : `${Math.round(milliseconds / unit[1])} ${unit[0]}`;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
