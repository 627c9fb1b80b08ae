import type {
  DeclaredValue,
  Operator,
  SecretAudience,
  SecretEntry,
  VaultKeyStorage,
} from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { normalizeHostName } from '../../../model/host-name.js';
import { isPublicSuffix } from '../../../model/public-suffix.js';
import { printValues, receivers } from '../../print/values.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { loadConfig, sessionOptions, settingOf } from '../config/config.js';
import { assertDeclaredSlot } from '../declared-slot.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { warnIfUnknownPackage } from '../unknown-package.js';
import { valueReader, withTries } from '../value-entry.js';
import { withExistingHost, withHost } from '../with-host.js';

export const secret: Command = {
  name: 'secret',
  summary: 'Store the secrets and settings that packages ask for. Values are never shown again.',
  usage:
    'secret set PACKAGE NAME [--host HOST]… [--file FILE|--from-env [VARIABLE]] | list | unset PACKAGE NAME | rekey --to STORAGE',
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
    {
      line: 'toolwharf secret set weather WEATHER_API_KEY --from-env',
      text: 'take it from the variable of that name; --from-env KEY takes it from KEY',
    },
    { line: 'toolwharf secret list', text: 'show what is stored and what is missing, without values' },
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
    {
      name: 'from-env',
      value: 'VARIABLE',
      optionalValue: /^[A-Z_][A-Z0-9_]*$/,
      text: 'take the value from a variable (default: the one with the name of the value)',
    },
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
    if (verb !== 'set' && (args.has('file') || args.has('from-env')))
      throw new HostError('usage', '--file and --from-env work only with "secret set"');
    if (args.has('file') && args.has('from-env'))
      throw new HostError('usage', 'use --file or --from-env, not both');
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
    const declared = (await host.secrets.declared(packageId)).find((it) => it.slot === slot);
    const reader = valueReader({ args, terminal, packageId, slot, declared });
    let by: Operator | undefined;
    const done = await withTries(reader, terminal, async (value) => {
      by ??= await terminalOperator(host, args, terminal);
      return host.secrets.set({ package: packageId, slot, value, audience, keyStorage, by });
    });
    await warnIfUnknownPackage(host, packageId, args, terminal);
    return done;
  });
  if (args.has('json')) terminal.out(document([entry], []));
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

async function list(args: Arguments, terminal: Terminal): Promise<number> {
  const [entries, declared] = await withExistingHost(args, terminal, async (host) => [
    await host.secrets.list(),
    await host.secrets.declared(),
  ]);
  const missing = declared.filter((it) => it.missing);
  terminal.out(args.has('json') ? document(entries, missing) : printValues(entries, declared));
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
  if (args.has('json')) terminal.out(document([], []));
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

function document(entries: readonly SecretEntry[], declared: readonly DeclaredValue[]): string {
  const secrets = entries.map(({ package: packageId, slot, audience, setAt }) => ({
    package: packageId,
    slot,
    audience,
    setAt: new Date(setAt).toISOString(),
  }));
  const missing = declared.map(({ package: packageId, slot, label, secret, providerScopes, command }) => ({
    package: packageId,
    ...{ slot, label, secret, command },
    ...(providerScopes.length === 0 ? {} : { providerScopes }),
  }));
  return `${JSON.stringify({ schema: 'toolwharf/secrets@1', secrets, missing })}\n`;
}
