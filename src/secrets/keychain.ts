import { HostError } from '../model/host-error.js';

/** The place where the operating system keeps what a person's own programs may read once they logged in. */
export interface Keychain {
  readonly name: string;
  /** Undefined when it answers and has no such entry. */
  read(id: string): Promise<string | undefined>;
  write(id: string, value: string): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface ProgramOutcome {
  /** Null when it did not start or did not end in time. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of the system. What is secret goes in on standard input and never on the command line. */
export type RunProgram = (command: readonly string[], stdin: string) => Promise<ProgramOutcome>;

/** Null where no keychain is known for the system. */
export function systemKeychain(platform: string, run: RunProgram): Keychain | null {
  switch (platform) {
    case 'linux':
      return libsecret(run);
    case 'darwin':
      return macKeychain(run);
    default:
      return null;
  }
}

const service = 'toolwharf-vault';

/** The Secret Service of the desktop (GNOME Keyring, KWallet), through the program that comes with libsecret. */
function libsecret(run: RunProgram): Keychain {
  const name = 'the Secret Service keychain';
  const program = '/usr/bin/secret-tool';
  const attributes = (id: string) => ['service', service, 'vault', id];
  const hint = `it needs ${program} (Debian: libsecret-tools) and an unlocked keyring on the session bus`;
  return {
    name,
    async read(id) {
      const outcome = await run([program, 'lookup', ...attributes(id)], '');
      if (outcome.code === 0 && outcome.stdout !== '') return outcome.stdout.trim();
      // It ends with 1 and says nothing where there is no such entry; a reason means that nobody could be asked.
      if (outcome.code !== null && outcome.code <= 1 && outcome.stderr.trim() === '') return undefined;
      throw unavailable(name, outcome, hint);
    },
    async write(id, value) {
      const words = [program, 'store', '--label=Toolwharf: key of the vault', ...attributes(id)];
      const outcome = await run(words, value);
      if (outcome.code !== 0) throw unavailable(name, outcome, hint);
    },
    async remove(id) {
      const outcome = await run([program, 'clear', ...attributes(id)], '');
      if (outcome.code !== 0 && outcome.stderr.trim() !== '') throw unavailable(name, outcome, hint);
    },
  };
}

/** Commands go in on standard input, because the program takes values as words of its command otherwise. */
function macKeychain(run: RunProgram): Keychain {
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
  const said = stderr.trim().split('\n').at(-1) ?? '';
  const why =
    said !== '' ? said.slice(0, 300) : code === null ? 'it did not answer' : `it ended with ${code}`;
  return new HostError('state_unusable', `${name} cannot be used: ${why}`, { hint });
}
