// The composition root: connects the commands to the real file system, terminal and host. Modules are loaded only when
// a command needs them, to keep the start fast.
import { statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { AuditReader, AuditVerification, Check, Host, RemoteHost } from './host/host.js';
import type { AuditVerdict } from './model/audit.js';
import { isFolder, readLocalText, writeNewFile } from './serve/cli/terminal/local-files.js';
import type {
  ExamineOptions,
  InProcessHostOptions,
  OpenAuditLogOptions,
  OpenHostOptions,
  Terminal,
} from './serve/cli/terminal/terminal.js';
import { shareHost } from './serve/socket/share-host.js';
import { build, version } from './version.js';

const argv = process.argv.slice(2);
/** What SIGUSR2 does to the host of this process. */
const killSignal = { isReceived: false, stopCalls: (): void => {} };

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  void main();
}

async function main(): Promise<void> {
  const { runCommandLine } = await import('./serve/cli/command/run.js');
  const interrupted = new AbortController();
  let signalExit: number | undefined;
  const onSignal = (exit: number) => () => {
    // The second signal ends the process at once.
    if (signalExit !== undefined) process.exit(exit);
    signalExit = exit;
    interrupted.abort();
  };
  let onInterrupt: (() => void) | undefined;
  const onSigint = onSignal(130);
  process.on('SIGINT', () => (onInterrupt ?? onSigint)());
  process.on('SIGTERM', onSignal(143));
  process.on('SIGHUP', onSignal(129));
  // The reader of our output may close it, for example `| head`. The command still finishes, without an error.
  let outputClosed = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    outputClosed = true;
    if (error.code === 'EPIPE') return;
    process.stderr.write(`error: cannot write the output (${error.code})\n`);
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
    // A terminal without a size reports 0. Fewer than 40 columns cannot be laid out.
    columns: Math.max(
      40,
      process.stdout.columns || process.stderr.columns || Number(process.env.COLUMNS) || 100,
    ),
    signal: interrupted.signal,
    onInterrupt: (listener) => {
      onInterrupt = listener;
      return () => {
        onInterrupt = undefined;
      };
    },
    stdin: process.stdin,
    stdout: process.stdout,
    out: (content) => {
      if (!outputClosed) process.stdout.write(content);
    },
    err: (text) => void process.stderr.write(text),
    readStdin: async (maxBytes) =>
      (await import('./serve/cli/terminal/standard-input.js')).readAll(
        process.stdin,
        interrupted.signal,
        maxBytes,
      ),
    readSecret: async (question) =>
      (await import('./serve/cli/terminal/prompt.js')).readSecret(question, interrupted.signal),
    confirm: async (question) =>
      (await import('./serve/cli/terminal/prompt.js')).confirm(question, interrupted.signal),
    ask: async (question) =>
      (await import('./serve/cli/terminal/prompt.js')).ask(question, interrupted.signal),
    openBrowser: async (url) =>
      (await import('./sandbox/open-browser.js')).openBrowser(url, process.platform, process.env),
    readFile: readLocalText,
    writeFile: writeNewFile,
    isFolder,
    resource: (path) => fileURLToPath(new URL(`../${path}`, import.meta.url)),
    loadFormats: async () => (await import('./formats/built-in-formats.js')).builtInFormats,
    findPython: pythonVersion,
    openHost: (options) => openHost(options, { version, principal, cwd }, interrupted.signal),
    readDocument: (url, access) => fetchDocument(url, access, interrupted.signal),
    startHost,
    openAuditLog,
    openPinReset: async (options) =>
      (await import('./host/operator/pin-reset.js')).openPinReset(options, Date.now),
    openStoreCopy: async (options) => (await import('./host/operator/store-copy.js')).openStoreCopy(options),
    verifyExport,
    examine,
    checkContribution: async (options) =>
      (await publishing()).checkedContribution(options, interrupted.signal),
    connectTextModel: async (options) => (await publishing()).connectTextModel(options, interrupted.signal),
    publishAtServer: async (options) => (await publishing()).publishAtServer(options, interrupted.signal),
    yankAtServer: async (options) => (await publishing()).yankAtServer(options, interrupted.signal),
    renewAtServer: async (options) => (await publishing()).renewAtServer(options, interrupted.signal),
    sendToServer: async (options) => (await publishing()).sendToServer(options, interrupted.signal),
    publicationChanges: async (publication, setting, access) =>
      (await publishing()).publicationChanges(publication, setting, access, interrupted.signal),
    mirrorConfigured: async (copy) => (await publishing()).mirrorConfigured(copy, interrupted.signal),
    searchRegistries: async (search, access) =>
      (await publishing()).searchConfiguredRegistries(search, access, interrupted.signal),
    registryPackageFacts: async (source, access) =>
      (await publishing()).packageOfRegistries(source, access, interrupted.signal),
    registryKeychain: async () => (await publishing()).registryKeychain(),
    openReviewQueue: async (registry) =>
      (await import('./registry/contribute/publish/review-folder.js')).reviewFolder(registry),
  };
  const code = await runCommandLine(argv, terminal);
  process.exitCode = signalExit !== undefined && code !== 0 ? signalExit : code || (process.exitCode ?? 0);
  // An open standard input would keep the process alive.
  process.stdin.unref?.();
}

const publishing = () => import('./publishing.js');

/** The user may have no entry in the user database, mostly in containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The usual version if it is here, else the nearest one. */
async function pythonVersion(): Promise<string | undefined> {
  const { newToolPython } = await import('./sandbox/interpreter.js');
  const { systemSandbox } = await import('./sandbox/system-sandbox.js');
  return newToolPython(systemSandbox({}).user, homedir());
}

async function fetchDocument(
  url: string,
  { allow, policy: { caCertificates: certificates } }: Parameters<Terminal['readDocument']>[1],
  signal: AbortSignal,
) {
  const { guardedClient } = await import('./net/http-client.js');
  const { fetchDocument } = await import('./net/published-document.js');
  const { parseGrants } = await import('./policy/grant.js');
  const { network: granted } = parseGrants(allow).shared;
  return fetchDocument({ client: guardedClient(), url, granted, certificates, signal });
}

async function startHost(options: InProcessHostOptions): Promise<Host> {
  const { createHost } = await import('./host/create.js');
  // Registered before the host exists, so that an early SIGUSR2 does not end the process; once, because a command that
  // waits for the state directory tries again.
  if (process.listenerCount('SIGUSR2') === 0)
    process.on('SIGUSR2', () => {
      killSignal.isReceived = true;
      killSignal.stopCalls();
    });
  const host = await createHost({
    state: options.state,
    hints: 'command-line',
    ...(options.onAnswer === undefined ? {} : { onAnswer: options.onAnswer }),
    ...(options.onInstallRequest === undefined ? {} : { onInstallRequest: options.onInstallRequest }),
    ...(options.onReload === undefined ? {} : { onReload: options.onReload }),
    ...(options.onLog === undefined ? {} : { onLog: options.onLog }),
    ...(build === undefined ? {} : { build }),
    warm: options.singleCommand !== true,
    watch: options.singleCommand !== true,
    onlyLooks: options.onlyLooks === true,
    // A keychain takes its time; a command that ends at once does not wait for it.
    ...(options.audit === undefined
      ? {}
      : {
          audit: options.singleCommand === true ? { ...options.audit, anchorKeychain: false } : options.audit,
        }),
    ...(options.onRollback === undefined ? {} : { onRollback: options.onRollback }),
    // The values of an author are not the operator's; neither the keychain nor the passphrase is for them.
    ...(options.development === undefined ? {} : { development: options.development, keychain: null }),
    ...(process.env.TOOLWHARF_PASSPHRASE && options.development === undefined
      ? { passphrase: process.env.TOOLWHARF_PASSPHRASE }
      : {}),
    onBug: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
  });
  killSignal.stopCalls = () =>
    void host.kills
      .set('all', 'SIGUSR2')
      .then(({ ended }) =>
        process.stderr.write(
          `SIGUSR2: all calls are stopped; ${ended === 1 ? '1 running call was' : `${ended} running calls were`} ended\n`,
        ),
      )
      .catch((error) => process.stderr.write(`SIGUSR2: ${String(error)}\n`));
  if (killSignal.isReceived) killSignal.stopCalls();
  return host;
}

async function placesFor({ audit }: OpenHostOptions): Promise<Pick<InProcessHostOptions, 'audit'>> {
  return audit === undefined ? {} : { audit: await audit() };
}

async function openAuditLog({ state, audit, follow }: OpenAuditLogOptions): Promise<AuditReader> {
  const { StoredAuditLog } = await import('./store/stored-audit-log.js');
  const { checkpointPaths } = await import('./store/checkpoints.js');
  const { readableAnchorPlaces } = await import('./host/operator/anchor-places.js');
  const places = readableAnchorPlaces(state, audit);
  return StoredAuditLog.open(state, checkpointPaths(state, audit), { follow, places });
}

async function verifyExport(path: string, options: AuditVerification): Promise<AuditVerdict> {
  const { HostError } = await import('./model/host-error.js');
  const { verifyExportFile } = await import('./store/audit-export.js');
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new HostError('not_found', `no such file: ${path}`, {
      hint: 'name a file written by "toolwharf audit export"',
    });
  return verifyExportFile(path, options);
}

async function examine(options: ExamineOptions): Promise<readonly Check[]> {
  const { runDoctor } = await import('./host/doctor/doctor.js');
  const { systemSandbox } = await import('./sandbox/system-sandbox.js');
  const { runSystemProgram } = await import('./sandbox/system-program.js');
  const { systemKeychain } = await import('./secrets/keychain.js');
  const { openEgress } = await import('./net/egress.js');
  const { openTestListener } = await import('./net/test-listener.js');
  const listener = await openTestListener();
  return runDoctor({
    ...options,
    listener,
    containers: options.containers ?? {},
    home: homedir(),
    machine: {
      platform: process.platform,
      arch: process.arch,
      node: { path: process.execPath, version: process.versions.node },
      now: Date.now(),
      readFile: readLocalText,
    },
    sandbox: systemSandbox({}),
    keychain: systemKeychain(process.platform, runSystemProgram),
    openEgress,
  }).finally(() => listener.close());
}

/** Connects to the running host, else starts one in this process. Waits if another command holds the state directory. */
async function openHost(
  options: OpenHostOptions,
  me: { version: string; principal: string; cwd: string },
  signal: AbortSignal,
): Promise<RemoteHost> {
  const { openSocketHost } = await import('./serve/socket/socket-host.js');
  const { HostError } = await import('./model/host-error.js');
  // Default: as long as the tool of another command may run.
  const deadline = performance.now() + (options.timeoutMs ?? 75_000);
  let reported = false;
  for (;;) {
    const running = await openSocketHost({
      state: options.state,
      ...me,
      ...(options.timeoutMs === undefined ? {} : { idleTimeoutMs: options.timeoutMs }),
    });
    if (running !== undefined) return running;
    try {
      return shareHost(
        await startHost({
          ...{ state: options.state, singleCommand: true, onlyLooks: options.onlyLooks === true },
          ...(await placesFor(options)),
        }),
        options.state,
        me.version,
      );
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'state_locked' || performance.now() > deadline)
        throw error;
      if (!reported) options.onWait(`${error.message}; waiting for it`);
      reported = true;
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (signal.aborted) throw new HostError('canceled', 'interrupted');
    }
  }
}
