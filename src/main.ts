// The composition root: the only place that knows the real world and every part. Parts are loaded when a
// command needs them, because what is not loaded costs nothing.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from './bundle/make-folder.js';
import type { AuditReader, Check, Host } from './host/host.js';
import type { AuditVerdict } from './model/audit.js';
import type {
  ExamineOptions,
  OpenHostOptions,
  OpenRecordOptions,
  StartHostOptions,
  Terminal,
} from './serve/cli/terminal.js';
import { build, version } from './version.js';

const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  void main();
}

async function main(): Promise<void> {
  const { runCommandLine } = await import('./serve/cli/run.js');
  const interrupted = new AbortController();
  let signalExit: number | undefined;
  const onSignal = (exit: number) => () => {
    // The second time means it.
    if (signalExit !== undefined) process.exit(exit);
    signalExit = exit;
    interrupted.abort();
  };
  process.on('SIGINT', onSignal(130));
  process.on('SIGTERM', onSignal(143));
  process.on('SIGHUP', onSignal(129));
  // Whoever reads our output may stop reading; that is no failure, and what was begun is still brought to its end.
  let readerLeft = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    readerLeft = true;
    if (error.code === 'EPIPE') return;
    process.stderr.write(`error: the output could not be written (${error.code})\n`);
    process.exitCode = 1;
  });
  process.stderr.on('error', () => {});

  const principal = `${userName()}/cli`;
  const cwd = process.cwd();
  const terminal: Terminal = {
    version,
    cwd,
    environment: process.env,
    principal,
    main: process.argv[1] as string,
    stdoutIsTerminal: process.stdout.isTTY === true,
    stdinIsTerminal: process.stdin.isTTY === true,
    stderrIsTerminal: process.stderr.isTTY === true,
    // A terminal without a size says zero; below forty nothing can be laid out.
    columns: Math.max(
      40,
      process.stdout.columns || process.stderr.columns || Number(process.env.COLUMNS) || 100,
    ),
    signal: interrupted.signal,
    stdin: process.stdin,
    stdout: process.stdout,
    out: (text) => {
      if (!readerLeft) process.stdout.write(text);
    },
    err: (text) => void process.stderr.write(text),
    readStdin: async (most) =>
      (await import('./serve/cli/standard-input.js')).readAll(process.stdin, interrupted.signal, most),
    readSecret: async (question) =>
      (await import('./serve/cli/dialogue.js')).readSecret(question, interrupted.signal),
    confirm: async (question) =>
      (await import('./serve/cli/dialogue.js')).confirm(question, interrupted.signal),
    ask: async (question) => (await import('./serve/cli/dialogue.js')).ask(question, interrupted.signal),
    readFile,
    writeFile,
    isFolder,
    resource: (path) => fileURLToPath(new URL(`../${path}`, import.meta.url)),
    openHost: (options) => openHost(options, { version, principal, cwd }, interrupted.signal),
    readDocument: (url, allow) => publishedAt(url, allow, interrupted.signal),
    startHost,
    openRecord,
    openPinReset: async (options) => (await import('./host/pin-reset.js')).openPinReset(options, Date.now),
    verifyExport,
    examine,
  };
  const code = await runCommandLine(words, terminal);
  process.exitCode = signalExit !== undefined && code !== 0 ? signalExit : code || (process.exitCode ?? 0);
  // A terminal that was read from would keep the process alive.
  process.stdin.unref?.();
}

/** Users without an entry in the system's list exist, in containers above all. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Text of a regular file of moderate size; a pipe or a device would keep us waiting. */
function readFile(path: string): string | undefined {
  try {
    const { size } = statSync(path);
    return statSync(path).isFile() && size <= 16 * 1024 * 1024 ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function writeFile(path: string, text: string): void {
  makeFolder(dirname(path), 0o777);
  writeFileSync(path, text, { flag: 'wx' });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

async function publishedAt(url: string, allow: readonly string[], signal: AbortSignal) {
  const { guardedClient } = await import('./net/client.js');
  const { readDocument } = await import('./net/document.js');
  const { parseGrants } = await import('./policy/grant.js');
  return readDocument({ client: guardedClient(), url, granted: parseGrants(allow).shared.network, signal });
}

async function startHost(options: StartHostOptions): Promise<Host> {
  const { createHost } = await import('./host/create.js');
  let stop: () => void = () => {};
  // From before the host is there: a signal that comes meanwhile must not end it half made.
  let signalled = false;
  process.on('SIGUSR2', () => {
    signalled = true;
    stop();
  });
  const host = await createHost({
    state: options.state,
    ...(options.onAnswer === undefined ? {} : { onAnswer: options.onAnswer }),
    ...(options.onReload === undefined ? {} : { onReload: options.onReload }),
    ...(options.onLog === undefined ? {} : { onLog: options.onLog }),
    ...(build === undefined ? {} : { build }),
    warm: options.brief !== true,
    watch: options.brief !== true,
    ...(options.audit === undefined ? {} : { audit: options.audit }),
    ...(process.env.TOOLWHARF_PASSPHRASE ? { passphrase: process.env.TOOLWHARF_PASSPHRASE } : {}),
    onBug: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
  });
  stop = () =>
    void host.kills
      .set('all', 'SIGUSR2')
      .then(({ ended }) =>
        process.stderr.write(`SIGUSR2: everything is stopped, ${ended} calls were ended\n`),
      )
      .catch((error) => process.stderr.write(`SIGUSR2: ${String(error)}\n`));
  if (signalled) stop();
  return host;
}

async function placesFor({ audit }: OpenHostOptions): Promise<Pick<StartHostOptions, 'audit'>> {
  return audit === undefined ? {} : { audit: await audit() };
}

async function openRecord({ state, audit, follow }: OpenRecordOptions): Promise<AuditReader> {
  const { StoredAuditLog } = await import('./store/stored-audit-log.js');
  const { checkpointPlaces } = await import('./store/checkpoints.js');
  return StoredAuditLog.open(state, checkpointPlaces(state, audit), follow);
}

async function verifyExport(path: string, trusted: string | undefined): Promise<AuditVerdict> {
  const { HostError } = await import('./model/host-error.js');
  const { verifyExportFile } = await import('./store/audit-export.js');
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new HostError('not_found', `there is no file ${path}`, { hint: 'name an export of the record' });
  return verifyExportFile(path, trusted);
}

async function examine(options: ExamineOptions): Promise<readonly Check[]> {
  const { examine: look } = await import('./host/doctor/examine.js');
  const { systemSandbox } = await import('./sandbox/system.js');
  const { runProgram } = await import('./sandbox/program.js');
  const { systemKeychain } = await import('./secrets/keychain.js');
  const { openEgress } = await import('./net/egress.js');
  return look({
    ...options,
    containers: options.containers ?? {},
    home: homedir(),
    machine: {
      platform: process.platform,
      arch: process.arch,
      node: { path: process.execPath, version: process.versions.node },
      now: Date.now(),
      readFile,
    },
    sandbox: systemSandbox({}),
    keychain: systemKeychain(process.platform, runProgram),
    openEgress,
  });
}

/** While a command is the host, other commands use it too; those who came in are served to their end. */
async function shared(host: Host, state: string, version: string): Promise<Host> {
  const { listen } = await import('./serve/socket/server.js');
  const { socketPath } = await import('./serve/socket/path.js');
  const onBug = (error: unknown) => void process.stderr.write(`${String(error)}\n`);
  // Where no socket can be made, the others wait as they would without one.
  const server = await listen(host, {
    path: socketPath(state, 'command'),
    version,
    now: Date.now,
    onBug,
  }).catch(() => null);
  if (server === null) return host;
  return {
    ...host,
    async close() {
      await server.drain();
      await host.close();
    },
  };
}

/** The socket if somebody answers it, else a host of our own; if another command has the state, wait for it. */
async function openHost(
  options: OpenHostOptions,
  me: { version: string; principal: string; cwd: string },
  signal: AbortSignal,
): Promise<Host> {
  const { remoteHost } = await import('./serve/socket/remote-host.js');
  const { HostError } = await import('./model/host-error.js');
  // As long as the tool of another command may take.
  const deadline = performance.now() + (options.patienceMs ?? 75_000);
  let told = false;
  for (;;) {
    const remote = await remoteHost({ ...options, ...me });
    if (remote !== undefined) return remote;
    try {
      return await shared(
        await startHost({ state: options.state, brief: true, ...(await placesFor(options)) }),
        options.state,
        me.version,
      );
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'state_locked' || performance.now() > deadline)
        throw error;
      if (!told) options.onWait(`${error.message}; waiting for it`);
      told = true;
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (signal.aborted) throw new HostError('canceled', 'interrupted');
    }
  }
}
