import { HostError } from '../model/host-error.js';

/** The credential store of the operating system, unlocked when the user logs in. */
export interface Keychain {
  readonly name: string;
  /** Undefined when there is no such entry. Throws when the keychain is not available. */
  read(id: string): Promise<string | undefined>;
  write(id: string, value: string): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface ProgramOutcome {
  /** Exit code; null when it did not start or timed out. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a system program. Secrets are passed on standard input, never in the arguments. */
export type RunProgram = (command: readonly string[], stdin: string) => Promise<ProgramOutcome>;

/** What a keychain entry is for. */
export interface KeychainItem {
  readonly service: string;
  /** For people who look at their keychain. */
  readonly label: string;
}

const vaultItem: KeychainItem = { service: 'toolwharf-vault', label: 'Toolwharf: key of the vault' };
export const auditItem: KeychainItem = {
  service: 'toolwharf-audit',
  label: 'Toolwharf: newest checkpoint of the audit log',
};

/** Null on systems without a supported keychain. */
export function systemKeychain(
  platform: string,
  run: RunProgram,
  item: KeychainItem = vaultItem,
): Keychain | null {
  switch (platform) {
    case 'linux':
      return libsecret(run, item);
    case 'darwin':
      return macKeychain(run, item);
    default:
      return null;
  }
}

/** The Secret Service of the desktop (GNOME Keyring, KWallet), through the secret-tool of libsecret. */
function libsecret(run: RunProgram, { service, label }: KeychainItem): Keychain {
  const name = 'the Secret Service keychain';
  const program = '/usr/bin/secret-tool';
  const attributes = (id: string) => ['service', service, 'vault', id];
  const hint = `it needs ${program} (Debian: libsecret-tools) and an unlocked keyring on the session bus`;
  return {
    name,
    async read(id) {
      const outcome = await run([program, 'lookup', ...attributes(id)], '');
      if (outcome.code === 0 && outcome.stdout !== '') return outcome.stdout.trim();
      // Exit code 1 without an error message means that there is no such entry; with a message, that access failed.
      if (outcome.code !== null && outcome.code <= 1 && outcome.stderr.trim() === '') return undefined;
      throw unavailable(name, outcome, hint);
    },
    async write(id, value) {
      const args = [program, 'store', `--label=${label}`, ...attributes(id)];
      const outcome = await run(args, value);
      if (outcome.code !== 0) throw unavailable(name, outcome, hint);
    },
    async remove(id) {
      const outcome = await run([program, 'clear', ...attributes(id)], '');
      if (outcome.code !== 0 && outcome.stderr.trim() !== '') throw unavailable(name, outcome, hint);
    },
  };
}

/** Commands are passed on standard input, because the program takes values in its arguments otherwise. */
function macKeychain(run: RunProgram, { service }: KeychainItem): Keychain {
  const name = 'the macOS keychain';
  const program = '/usr/bin/security';
  const hint = 'unlock the login keychain: security unlock-keychain';
  const missing = 44;
  const entry = (id: string) => ['-a', id, '-s', service];
  return {
    name,
    async read(id) {
      const outcome = await run([program, 'find-generic-password', ...entry(id), '-w'], '');
      if (outcome.code === 0) return outcome.stdout.trim();
      if (outcome.code === missing) return undefined;
      throw unavailable(name, outcome, hint);
    },
    async write(id, value) {
      const line = ['add-generic-password', '-U', ...entry(id), '-w', value].join(' ');
      const outcome = await run([program, '-i'], `${line}\n`);
      if (outcome.code !== 0 || outcome.stderr.trim() !== '') throw unavailable(name, outcome, hint);
    },
    async remove(id) {
      const outcome = await run([program, 'delete-generic-password', ...entry(id)], '');
      if (outcome.code !== 0 && outcome.code !== missing) throw unavailable(name, outcome, hint);
    },
  };
}

function unavailable(name: string, { code, stderr }: ProgramOutcome, hint: string): HostError {
  const message = stderr.trim().split('\n').at(-1) ?? '';
  const why = message !== '' ? message.slice(0, 300) : code === null ? 'no response' : `exit code ${code}`;
  return new HostError('state_unusable', `${name} cannot be used: ${why}`, { hint });
}
