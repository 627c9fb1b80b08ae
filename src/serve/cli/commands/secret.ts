import { resolve } from 'node:path';
import type { SecretAudience, SecretEntry, VaultKeyStorage } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { normalizeHostName } from '../../../model/host-name.js';
import { isPublicSuffix } from '../../../model/public-suffix.js';
import { visibleLine } from '../../print/visible.js';
import { pad, width } from '../../print/width.js';
import type { Arguments, Command } from '../command/command.js';
import { loadConfig, sessionOptions, settingOf } from '../config/config.js';
import { assertDeclaredSlot } from '../declared-slot.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { warnIfUnknownPackage } from '../unknown-package.js';
import { withExistingHost, withHost } from '../with-host.js';

export const secret: Command = {
  name: 'secret',
  summary: 'Store the secrets and settings that packages ask for. Values are never shown again.',
  usage:
    'secret set PACKAGE NAME [--host HOST]… [--file FILE] | list | unset PACKAGE NAME | rekey --to STORAGE',
  examples: [
    { line: 'toolwharf secret set weather WEATHER_API_KEY', text: 'ask for the value, without showing it' },
    {
      line: 'toolwharf secret set weather WEATHER_API_KEY --host api.example.com < key.txt',
      text: 'read it from a file; only this host may receive it',
    },
    {
      line: 'toolwharf secret set reports google_key --file service-account.json',
      text: 'the content of the file is the value, such as a key file in JSON',
    },
    { line: 'toolwharf secret list', text: 'show what is stored and who may receive it, without values' },
    { line: 'toolwharf secret unset weather WEATHER_API_KEY', text: 'delete it' },
    {
      line: 'toolwharf secret rekey --to keychain',
      text: 'move the encryption key to the keychain (also: file, passphrase)',
    },
  ],
  options: [
    {
      name: 'host',
      value: 'HOST',
      multiple: true,
      text: 'host that may receive the value, with its subdomains',
    },
    { name: 'any-host', text: 'any host may receive the value' },
    { name: 'file', value: 'FILE', text: 'read the value from this file' },
    pinOption,
    dryRunOption,
    {
      name: 'to',
      value: 'STORAGE',
      text: 'where the encryption key is stored: keychain, file or passphrase',
    },
    ...sessionOptions.filter((it) => it.name === 'config'),
  ],
  async run(args, terminal) {
    const [verb = 'list', packageId, slot, ...more] = args.positionals;
    if (verb !== 'set' && (args.has('host') || args.has('any-host')))
      throw new HostError('usage', '--host and --any-host work only with "secret set"');
    if (verb !== 'set' && args.has('file'))
      throw new HostError('usage', '--file works only with "secret set"');
    if (verb !== 'rekey' && args.has('to'))
      throw new HostError('usage', '--to works only with "secret rekey"');
    switch (verb) {
      case 'list':
        if (packageId !== undefined) throw new HostError('usage', 'secret list takes no arguments');
        return list(args, terminal);
      case 'set':
        return set(args, terminal, slotRef(verb, packageId, slot, more));
      case 'rekey':
        if (packageId !== undefined)
          throw new HostError('usage', 'secret rekey takes no arguments, only --to STORAGE');
        return rekey(args, terminal);
      case 'unset':
        return unset(args, terminal, slotRef(verb, packageId, slot, more));
      default:
        // The text could be a value in the wrong place, so it is not repeated.
        throw new HostError('usage', 'unknown subcommand of secret', {
          hint: 'use set, list, unset or rekey',
        });
    }
  },
};

interface SlotRef {
  readonly packageId: string;
  readonly slot: string;
}

function slotRef(
  verb: string,
  packageId: string | undefined,
  slot: string | undefined,
  more: readonly string[],
): SlotRef {
  if (packageId === undefined || slot === undefined || packageId === '' || slot === '')
    throw new HostError('usage', `name the package and the value: toolwharf secret ${verb} PACKAGE NAME`, {
      hint: '"toolwharf info PACKAGE" shows what a package asks for',
    });
  if (more.length > 0 || slot.includes('='))
    throw new HostError('usage', 'a value is never an argument: others can see the command line', {
      hint: 'leave it out to be asked for it, or pass it on standard input; if it was real, replace it',
    });
  return { packageId, slot };
}

async function set(args: Arguments, terminal: Terminal, { packageId, slot }: SlotRef): Promise<number> {
  const audience = audienceOf(args);
  const keyStorage = settingOf((await loadConfig(args, terminal)).entries, 'vault.key') as
    | VaultKeyStorage
    | undefined;
  if (isDryRun(args)) {
    await withHost(args, terminal, async (host) => {
      await assertDeclaredSlot(host, packageId, slot);
      await warnIfUnknownPackage(host, packageId, args, terminal);
    });
    return reportDryRun(`set ${slot} of ${packageId}; ${receivers(audience)}`, args, terminal);
  }
  const entry = await withHost(args, terminal, async (host) => {
    // Checked before the person types a secret.
    await assertDeclaredSlot(host, packageId, slot);
    const value = await readValue(args, terminal, packageId, slot);
    const by = await terminalOperator(host, args, terminal);
    const done = await host.secrets.set({ package: packageId, slot, value, audience, keyStorage, by });
    await warnIfUnknownPackage(host, packageId, args, terminal);
    return done;
  });
  if (args.has('json')) terminal.out(document([entry]));
  else if (!args.has('quiet'))
    terminal.out(
      `${visibleLine(`${entry.slot} of ${entry.package} is set; ${receivers(entry.audience)}`)}\n`,
    );
  if (!args.has('quiet') && entry.audience.kind === 'hosts')
    for (const name of entry.audience.hosts.filter(isPublicSuffix))
      terminal.err(
        `warning: anyone can register a name below ${name}, so the value is sent to none of them\n`,
      );
  return 0;
}

function audienceOf(args: Arguments): SecretAudience {
  const hosts = args.values('host');
  if (args.has('any-host')) {
    if (hosts.length > 0) throw new HostError('usage', 'use --host or --any-host, not both');
    return { kind: 'any' };
  }
  const wrong = hosts.find(
    (it) => normalizeHostName(it) === '' || !/^(?:[^\s/@?#\\%*:[\]]+|\[[\da-f:.]+\])$/i.test(it),
  );
  if (wrong !== undefined)
    throw new HostError('usage', `--host ${JSON.stringify(wrong)} is not a host name`, {
      hint: 'write a name such as api.example.com, without scheme, port or path',
    });
  return hosts.length === 0 ? { kind: 'manifest' } : { kind: 'hosts', hosts };
}

async function readValue(
  args: Arguments,
  terminal: Terminal,
  packageId: string,
  slot: string,
): Promise<string> {
  const file = args.value('file');
  if (file !== undefined) return fileValue(terminal, file);
  if (terminal.stdinIsTerminal && args.has('no-input'))
    throw new HostError('usage', 'no value was given, and --no-input does not allow asking for it', {
      hint: 'pass it on standard input',
    });
  const value = terminal.stdinIsTerminal
    ? await terminal.readSecret(visibleLine(`${slot} for ${packageId} (not shown): `))
    : (await terminal.readStdin()).replace(/\r?\n$/, '');
  if (value === '')
    throw new HostError('usage', `the value for ${slot} is empty`, {
      hint: `to delete the value, run: toolwharf secret unset ${packageId} ${slot}`,
    });
  return value;
}

/** The line break that editors add at the end is not part of the value. */
function fileValue(terminal: Terminal, path: string): string {
  const text = terminal.readFile(resolve(terminal.cwd, path))?.replace(/\r?\n$/, '');
  if (text === undefined || text === '')
    throw new HostError('usage', `${path} is ${text === '' ? 'empty' : 'not a readable file'}`, {
      hint: 'name a text file that contains only the value',
    });
  return text;
}

async function list(args: Arguments, terminal: Terminal): Promise<number> {
  const entries = await withExistingHost(args, terminal, (host) => host.secrets.list());
  if (args.has('json')) {
    terminal.out(document(entries));
    return 0;
  }
  if (entries.length === 0) {
    terminal.out('no secrets or settings are stored\n');
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

async function unset(args: Arguments, terminal: Terminal, { packageId, slot }: SlotRef): Promise<number> {
  const removed = await withExistingHost(args, terminal, async (host) =>
    isDryRun(args)
      ? (await host.secrets.list()).some((it) => it.package === packageId && it.slot === slot)
      : host.secrets.unset(packageId, slot, await terminalOperator(host, args, terminal)),
  );
  if (!removed)
    throw new HostError('not_found', `no value is stored for ${slot} of ${packageId}`, {
      hint: 'see "toolwharf secret list"',
    });
  if (isDryRun(args)) return reportDryRun(`delete ${slot} of ${packageId}`, args, terminal);
  if (args.has('json')) terminal.out(document([]));
  else if (!args.has('quiet')) terminal.out(`${visibleLine(`deleted ${slot} of ${packageId}`)}\n`);
  return 0;
}

const keyStorages: readonly VaultKeyStorage[] = ['keychain', 'file', 'passphrase'];

async function rekey(args: Arguments, terminal: Terminal): Promise<number> {
  const to = args.value('to') as VaultKeyStorage | undefined;
  if (to === undefined || !keyStorages.includes(to))
    throw new HostError('usage', 'name where to store the key: --to keychain, --to file or --to passphrase');
  if (isDryRun(args)) return reportDryRun(`move the encryption key of all secrets to: ${to}`, args, terminal);
  const passphrase = to === 'passphrase' ? await readPassphrase(args, terminal) : undefined;
  await withExistingHost(args, terminal, async (host) =>
    host.secrets.rekey({ to, passphrase, by: await terminalOperator(host, args, terminal) }),
  );
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/rekey@1', keyStorage: to })}\n`);
  else if (!args.has('quiet')) {
    const where = {
      keychain: 'stored in the keychain',
      file: 'stored in a file that only you can read',
      passphrase: 'derived from a passphrase',
    };
    const next = to === 'passphrase' ? '; from now on, start the host with TOOLWHARF_PASSPHRASE set' : '';
    terminal.out(`the encryption key is now ${where[to]}${next}\n`);
  }
  return 0;
}

async function readPassphrase(args: Arguments, terminal: Terminal): Promise<string> {
  const usageError = (message: string) => new HostError('usage', message, { hint: 'nothing was changed' });
  if (!terminal.stdinIsTerminal) {
    const text = (await terminal.readStdin()).replace(/\r?\n$/, '');
    if (text === '') throw usageError('the passphrase on standard input is empty');
    return text;
  }
  if (args.has('no-input'))
    throw usageError('no passphrase was given, and --no-input does not allow asking for it');
  const first = await terminal.readSecret('new passphrase (not shown): ');
  if (first === '') throw usageError('the passphrase is empty');
  if ((await terminal.readSecret('repeat it: ')) !== first) throw usageError('the two passphrases differ');
  return first;
}

function receivers(audience: SecretAudience): string {
  switch (audience.kind) {
    case 'hosts':
      return `may be sent to ${audience.hosts.join(', ')}`;
    case 'any':
      return 'may be sent to any host';
    case 'manifest':
      return 'may be sent only to hosts that its manifest names (change it with --host)';
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
