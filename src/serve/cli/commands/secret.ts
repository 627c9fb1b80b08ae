import type { SecretAudience, SecretEntry, VaultKeyStorage } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { hostName } from '../../../model/host-name.js';
import { isPublicSuffix } from '../../../model/public-suffix.js';
import { visibleLine } from '../../print/visible.js';
import { pad, width } from '../../print/width.js';
import type { Arguments } from '../arguments.js';
import { withHost, withKeptHost } from '../attach.js';
import type { Command } from '../command.js';
import { loadConfig, sessionOptions, settingOf } from '../config.js';
import { dryRunOption, isDryRun, tellDryRun } from '../dry-run.js';
import { operatorHere, pinOption } from '../operator.js';
import { assertSlot } from '../slot-name.js';
import type { Terminal } from '../terminal.js';
import { tellUnseen } from '../unseen-package.js';

export const secret: Command = {
  name: 'secret',
  summary: 'Keep the credentials and settings that packages ask for. Values go in and are never shown again.',
  usage: 'secret set PACKAGE NAME [--host HOST]… | list | unset PACKAGE NAME | rekey --to KEEPER',
  examples: [
    { line: 'toolwharf secret set weather WEATHER_API_KEY', text: 'asks for the value without showing it' },
    {
      line: 'toolwharf secret set weather WEATHER_API_KEY --host api.example.com < key.txt',
      text: 'from a file, for that host only',
    },
    { line: 'toolwharf secret list', text: 'what is kept and who may receive it; no values' },
    { line: 'toolwharf secret unset weather WEATHER_API_KEY', text: 'forget it' },
    {
      line: 'toolwharf secret rekey --to keychain',
      text: 'let the keychain keep the key that opens them; file and passphrase are the others',
    },
  ],
  options: [
    {
      name: 'host',
      value: 'HOST',
      multiple: true,
      text: 'who may receive the value: this name and those below it',
    },
    { name: 'any-host', text: 'anybody may receive the value' },
    pinOption,
    dryRunOption,
    { name: 'to', value: 'KEEPER', text: 'who keeps the key: keychain, file or passphrase' },
    ...sessionOptions.filter((it) => it.name === 'config'),
  ],
  async run(args, terminal) {
    const [verb = 'list', packageId, slot, ...more] = args.positionals;
    if (verb !== 'set' && (args.has('host') || args.has('any-host')))
      throw new HostError('usage', '--host and --any-host belong to "secret set"');
    if (verb !== 'rekey' && args.has('to')) throw new HostError('usage', '--to belongs to "secret rekey"');
    switch (verb) {
      case 'list':
        if (packageId !== undefined) throw new HostError('usage', 'list takes no names');
        return list(args, terminal);
      case 'set':
        return set(args, terminal, named(verb, packageId, slot, more));
      case 'rekey':
        if (packageId !== undefined) throw new HostError('usage', 'rekey takes no names, only --to KEEPER');
        return rekey(args, terminal);
      case 'unset':
        return unset(args, terminal, named(verb, packageId, slot, more));
      default:
        // It could be a value in the wrong place, so it is not said again.
        throw new HostError('usage', 'secret has no such verb', { hint: 'use set, list, unset or rekey' });
    }
  },
};

interface Name {
  readonly packageId: string;
  readonly slot: string;
}

function named(
  verb: string,
  packageId: string | undefined,
  slot: string | undefined,
  more: readonly string[],
): Name {
  if (packageId === undefined || slot === undefined || packageId === '' || slot === '')
    throw new HostError('usage', `say whose value to ${verb}: toolwharf secret ${verb} PACKAGE NAME`, {
      hint: '"toolwharf info PACKAGE" shows what a package asks for',
    });
  if (more.length > 0 || slot.includes('='))
    throw new HostError('usage', 'a value is never an argument: others can see the command line', {
      hint: 'leave it out to be asked for it, or give it on standard input; if it was real, replace it',
    });
  return { packageId, slot };
}

async function set(args: Arguments, terminal: Terminal, { packageId, slot }: Name): Promise<number> {
  const audience = audienceOf(args);
  const keeper = settingOf((await loadConfig(args, terminal)).entries, 'vault.key') as
    | VaultKeyStorage
    | undefined;
  if (isDryRun(args)) {
    await withHost(args, terminal, async (host) => {
      await assertSlot(host, packageId, slot);
      await tellUnseen(host, packageId, args, terminal);
    });
    return tellDryRun(`set ${slot} of ${packageId}; ${receivers(audience)}`, args, terminal);
  }
  const entry = await withHost(args, terminal, async (host) => {
    // Before anybody types a secret: it must be one that is asked for.
    await assertSlot(host, packageId, slot);
    const value = await readValue(args, terminal, packageId, slot);
    const by = await operatorHere(host, args, terminal);
    const done = await host.secrets.set({ package: packageId, slot, value, audience, keeper, by });
    await tellUnseen(host, packageId, args, terminal);
    return done;
  });
  if (args.has('json')) terminal.out(document([entry]));
  else if (!args.has('quiet'))
    terminal.out(
      `${visibleLine(`${entry.slot} of ${entry.package} is set; ${receivers(entry.audience)}`)}\n`,
    );
  if (!args.has('quiet') && entry.audience.kind === 'hosts')
    for (const name of entry.audience.hosts.filter(isPublicSuffix))
      terminal.err(`warning: everybody can have a name below ${name}, so it goes to none of them\n`);
  return 0;
}

function audienceOf(args: Arguments): SecretAudience {
  const hosts = args.values('host');
  if (args.has('any-host')) {
    if (hosts.length > 0) throw new HostError('usage', 'say --host or --any-host, not both');
    return { kind: 'any' };
  }
  const wrong = hosts.find(
    (it) => hostName(it) === '' || !/^(?:[^\s/@?#\\%*:[\]]+|\[[\da-f:.]+\])$/i.test(it),
  );
  if (wrong !== undefined)
    throw new HostError('usage', `--host ${JSON.stringify(wrong)} does not name a host`, {
      hint: 'write a plain name such as api.example.com, without a scheme, port or path',
    });
  return hosts.length === 0 ? { kind: 'manifest' } : { kind: 'hosts', hosts };
}

async function readValue(
  args: Arguments,
  terminal: Terminal,
  packageId: string,
  slot: string,
): Promise<string> {
  if (terminal.stdinIsTerminal && args.has('no-input'))
    throw new HostError('usage', 'there is no value, and --no-input forbids to ask for it', {
      hint: 'give it on standard input',
    });
  const value = terminal.stdinIsTerminal
    ? await terminal.readSecret(visibleLine(`${slot} for ${packageId} (not shown): `))
    : (await terminal.readStdin()).replace(/\r?\n$/, '');
  if (value === '')
    throw new HostError('usage', `the value for ${slot} is empty`, {
      hint: `to forget the value, run: toolwharf secret unset ${packageId} ${slot}`,
    });
  return value;
}

async function list(args: Arguments, terminal: Terminal): Promise<number> {
  const entries = await withKeptHost(args, terminal, (host) => host.secrets.list());
  if (args.has('json')) {
    terminal.out(document(entries));
    return 0;
  }
  if (entries.length === 0) {
    terminal.out('no values are kept\n');
    return 0;
  }
  const rows = entries.map((it) => [visibleLine(it.package), visibleLine(it.slot)] as const);
  const widest = (column: 0 | 1) => Math.max(...rows.map((it) => width(it[column])));
  for (const [index, [packageId, slot]] of rows.entries()) {
    const { audience, setAt } = entries[index] as SecretEntry;
    const day = new Date(setAt).toISOString().slice(0, 10);
    terminal.out(
      `${pad(packageId, widest(0))}  ${pad(slot, widest(1))}  ${day}  ${visibleLine(receivers(audience))}\n`,
    );
  }
  return 0;
}

async function unset(args: Arguments, terminal: Terminal, { packageId, slot }: Name): Promise<number> {
  const removed = await withKeptHost(args, terminal, async (host) =>
    isDryRun(args)
      ? (await host.secrets.list()).some((it) => it.package === packageId && it.slot === slot)
      : host.secrets.unset(packageId, slot, await operatorHere(host, args, terminal)),
  );
  if (!removed)
    throw new HostError('not_found', `no value is kept for ${slot} of ${packageId}`, {
      hint: 'see "toolwharf secret list"',
    });
  if (isDryRun(args)) return tellDryRun(`forget ${slot} of ${packageId}`, args, terminal);
  if (args.has('json')) terminal.out(document([]));
  else if (!args.has('quiet')) terminal.out(`${visibleLine(`${slot} of ${packageId} is forgotten`)}\n`);
  return 0;
}

const keepers: readonly VaultKeyStorage[] = ['keychain', 'file', 'passphrase'];

async function rekey(args: Arguments, terminal: Terminal): Promise<number> {
  const to = args.value('to') as VaultKeyStorage | undefined;
  if (to === undefined || !keepers.includes(to))
    throw new HostError('usage', 'say who keeps the key: --to keychain, file or passphrase');
  if (isDryRun(args)) return tellDryRun(`let the ${to} keep the key of all values`, args, terminal);
  const passphrase = to === 'passphrase' ? await readPassphrase(args, terminal) : undefined;
  await withKeptHost(args, terminal, async (host) =>
    host.secrets.rekey({ to, passphrase, by: await operatorHere(host, args, terminal) }),
  );
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/rekey@1', keeper: to })}\n`);
  else if (!args.has('quiet')) {
    const kept = {
      keychain: 'in the keychain',
      file: 'in a file that only you can read',
      passphrase: 'with a passphrase',
    };
    const next = to === 'passphrase' ? '; from now on start hosts with TOOLWHARF_PASSPHRASE' : '';
    terminal.out(`the key of the secrets is kept ${kept[to]} now${next}\n`);
  }
  return 0;
}

async function readPassphrase(args: Arguments, terminal: Terminal): Promise<string> {
  const refuse = (message: string) => new HostError('usage', message, { hint: 'nothing was changed' });
  if (!terminal.stdinIsTerminal) {
    const text = (await terminal.readStdin()).replace(/\r?\n$/, '');
    if (text === '') throw refuse('the passphrase on standard input is empty');
    return text;
  }
  if (args.has('no-input')) throw refuse('there is no passphrase, and --no-input forbids to ask for it');
  const first = await terminal.readSecret('new passphrase (not shown): ');
  if (first === '') throw refuse('the passphrase is empty');
  if ((await terminal.readSecret('the same again: ')) !== first) throw refuse('the two are not the same');
  return first;
}

function receivers(audience: SecretAudience): string {
  switch (audience.kind) {
    case 'hosts':
      return `it may go to ${audience.hosts.join(', ')}`;
    case 'any':
      return 'unbound: it may go to any host';
    case 'manifest':
      return 'it may go to the hosts that the package names for it, and to none where it names none (--host)';
  }
}

function document(entries: readonly SecretEntry[]): string {
  const secrets = entries.map(({ package: packageId, slot, audience, setAt }) => ({
    package: packageId,
    slot,
    audience,
    setAt: new Date(setAt).toISOString(),
  }));
  return `${JSON.stringify({ schema: 'toolwharf/secrets@1', secrets })}\n`;
}
