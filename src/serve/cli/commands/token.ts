import type { TokenEntry, TokenRole } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import { type Arguments, parseLifetime } from '../arguments.js';
import { withHost, withKeptHost } from '../attach.js';
import type { Command } from '../command.js';
import { dryRunOption, isDryRun, tellDryRun } from '../dry-run.js';
import { operatorHere, pinOption } from '../operator.js';
import type { Terminal } from '../terminal.js';

export const token: Command = {
  name: 'token',
  summary: 'Let clients in over HTTP. A token is shown once, when it is made.',
  usage: 'token create NAME [--role ROLE] [--expires TIME] | list | revoke ID|NAME',
  examples: [
    { line: 'toolwharf token create laptop', text: 'for an agent: it may list and call tools' },
    {
      line: 'toolwharf token create admin --role operator --expires 30d',
      text: 'for a person: it may also approve calls, switch packages and set values',
    },
    { line: 'toolwharf token list', text: 'who may come in; no tokens are shown' },
    { line: 'toolwharf token revoke laptop', text: 'from now on it lets nobody in' },
  ],
  options: [
    { name: 'role', value: 'ROLE', text: 'agent (unless told) or operator' },
    {
      name: 'expires',
      value: 'TIME',
      text: 'how long it is good: 12h, 30d …; without it, until it is revoked',
    },
    pinOption,
    dryRunOption,
  ],
  async run(args, terminal) {
    const [verb = 'list', name, ...more] = args.positionals;
    if (verb !== 'create' && (args.has('role') || args.has('expires')))
      throw new HostError('usage', '--role and --expires belong to "token create"');
    if (more.length > 0) throw new HostError('usage', 'name one token');
    switch (verb) {
      case 'create':
        return create(args, terminal, nameOf(name));
      case 'list':
        if (name !== undefined) throw new HostError('usage', 'list takes no names');
        return list(args, terminal);
      case 'revoke':
        if (name === undefined || name === '')
          throw new HostError('usage', 'say which token to revoke', { hint: 'see "toolwharf token list"' });
        return revoke(args, terminal, name);
      default:
        // It could be a token in the wrong place, so it is not said again.
        throw new HostError('usage', 'token has no such verb', { hint: 'use create, list or revoke' });
    }
  },
};

/** Names stand in the record as who asked, so they are plain; those of a start are not to be taken for it. */
function nameOf(name: string | undefined): string {
  if (name === undefined)
    throw new HostError('usage', 'say what to call the token: toolwharf token create NAME', {
      hint: 'the name of the client or person that will use it',
    });
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name) || /^start-/i.test(name))
    throw new HostError('usage', `${JSON.stringify(name)} cannot be the name of a token`, {
      hint: 'use letters, digits, dots, dashes and underscores; not "start-" at the beginning',
    });
  return name;
}

async function create(args: Arguments, terminal: Terminal, name: string): Promise<number> {
  const role = args.value('role') ?? 'agent';
  if (role !== 'agent' && role !== 'operator')
    throw new HostError('usage', `--role ${JSON.stringify(role)} is not known`, {
      hint: 'use agent or operator',
    });
  const expires = args.value('expires');
  const expiresAt = expires === undefined ? null : Date.now() + parseLifetime(expires, 'expires');
  const made = await withHost(args, terminal, async (host) => {
    if ((await host.tokens.list()).some((it) => it.name === name))
      throw new HostError('usage', `there is a token ${name} already`, {
        hint: `choose another name, or revoke it first: toolwharf token revoke ${name}`,
      });
    if (isDryRun(args)) return undefined;
    return host.tokens.create({
      name,
      role: role as TokenRole,
      expiresAt,
      by: await operatorHere(host, args, terminal),
    });
  });
  if (made === undefined) return tellDryRun(`make a token ${name} for an ${role}`, args, terminal);
  if (args.has('json')) {
    const document = { schema: 'toolwharf/token@1', token: made.token, ...entryOf(made.entry) };
    terminal.out(`${JSON.stringify(document)}\n`);
  } else {
    terminal.out(`${made.token}\n`);
    if (!args.has('quiet')) terminal.err(`This is the only time it is shown. It ${describe(made.entry)}.\n`);
    if (!args.has('quiet') && made.entry.principal !== `http/${name}`)
      terminal.err(
        `Another token was called ${name} before. What was held or allowed for that one is not for this one, which is ${made.entry.principal}.\n`,
      );
  }
  return 0;
}

async function list(args: Arguments, terminal: Terminal): Promise<number> {
  const entries = await withKeptHost(args, terminal, (host) => host.tokens.list());
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/tokens@1', tokens: entries.map(entryOf) })}\n`);
  else if (entries.length === 0) terminal.out('there are no tokens\n');
  for (const it of args.has('json') ? [] : entries)
    terminal.out(`${visibleLine(`${it.name}  ${it.id}  ${describe(it)}`)}\n`);
  return 0;
}

async function revoke(args: Arguments, terminal: Terminal, named: string): Promise<number> {
  const revoked = await withKeptHost(args, terminal, async (host) => {
    const entries = await host.tokens.list();
    const found = entries.find((it) => it.id === named) ?? entries.find((it) => it.name === named);
    const done =
      found !== undefined && (isDryRun(args) || (await host.tokens.revoke(found.id, terminal.principal)));
    if (!done)
      // It could be the token itself, so it is not said again.
      throw new HostError('not_found', 'there is no token of that name or id', {
        hint: 'see "toolwharf token list"',
      });
    return found;
  });
  if (isDryRun(args)) return tellDryRun(`revoke ${revoked.name} (${revoked.id})`, args, terminal);
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/tokens@1', tokens: [], revoked: revoked.id })}\n`);
  else if (!args.has('quiet')) terminal.out(`${visibleLine(revoked.name)} lets nobody in any more\n`);
  return 0;
}

function entryOf({ id, name, role, principal, createdAt, expiresAt }: TokenEntry) {
  return {
    id,
    name,
    role,
    principal,
    createdAt: time(createdAt),
    expiresAt: expiresAt === null ? null : time(expiresAt),
  };
}

function describe({ role, principal, createdAt, expiresAt }: TokenEntry): string {
  const may = role === 'operator' ? 'may list, call and decide' : 'may list and call';
  const until = expiresAt === null ? 'good until it is revoked' : `good until ${time(expiresAt)}`;
  return `${may} as ${principal}, made ${time(createdAt)}, ${until}`;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
