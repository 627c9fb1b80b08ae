import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TokenEntry, TokenKind } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { isLoopbackHost } from '../../model/host-name.js';
import type { JsonObject } from '../../model/json.js';
import { stateDirectory } from '../cli/command/arguments.js';
import { sessionSettings } from '../cli/config/config.js';
import { sessionArgs } from '../cli/config/session-options.js';
import { visibleLine } from '../print/visible.js';
import type { ClientTransport } from './client.js';
import { askMayApprove, mayApproveOption } from './client-approval.js';
import { clientPlace } from './client-place.js';
import { confirmFileChange } from './confirm-change.js';
import { acceptConnectedPackages } from './connected-packages.js';
import { type CredentialOwner, issueCredential, knownCredential, revokeCredential } from './credential.js';
import { EntryKey } from './entry-key.js';
import { homeDirectory, isInNpxCache, mcpCommand, mcpEndpoint, scriptPath } from './launch.js';
import { type ConnectOutcome, outcomeDocument, outcomeText } from './outcome.js';
import { otherServers } from './own-program.js';
import {
  addEntry,
  entryPath,
  findEntry,
  removeEntry,
  tokenOf,
  tokenVariable,
  urlOf,
} from './settings-edit.js';
import {
  lastBackup,
  readSettingsFile,
  restoreSettingsFile,
  type SettingsFile,
  writeSettingsFile,
} from './settings-file.js';

/** Facts about this machine; tests pass their own. */
export interface ConnectMachine {
  readonly platform: NodeJS.Platform;
  /** Absolute path of the Node.js executable. */
  readonly node: string;
  /** Home folder, used if the environment has none. */
  readonly home: string;
}

export interface ConnectRequest extends CredentialOwner {
  readonly paths: readonly string[];
  readonly machine: ConnectMachine;
}

/** Placeholder in the preview: the token is created only after a person agreed. */
const placeholderToken = 'tw_new';

/** Changes the configuration file of one client in one scope. Each operation returns an exit code. */
export class Connection {
  readonly #request: ConnectRequest;
  readonly #home: string;
  readonly #file: string;
  readonly #key: EntryKey;

  constructor(request: ConnectRequest) {
    const { scope, machine, terminal } = request;
    const { environment, cwd } = terminal;
    this.#home = homeDirectory(environment, machine.home);
    const { client, file, id } = clientPlace(request.client, scope, {
      platform: machine.platform,
      home: this.#home,
      project: cwd,
      environment,
    });
    this.#request = { ...request, client };
    this.#file = file;
    this.#key = new EntryKey(stateDirectory(request.args, environment, cwd), id, request.name);
  }

  async print(): Promise<number> {
    const { client, name, args, terminal } = this.#request;
    const entry = client.entry(await this.#transport(undefined), name);
    if (args.has('json')) return this.#report('printed', { entry });
    terminal.out(
      client.syntax.set('', entryPath({ file: this.#file, text: undefined }, this.#request), entry),
    );
    terminal.err(`for ${visibleLine(this.#file)}\n`);
    if (/YOUR-TOKEN|TOOLWHARF_TOKEN/.test(JSON.stringify(entry)))
      terminal.err(`create a token: toolwharf token create ${client.name}\n`);
    return 0;
  }

  async connect(): Promise<number> {
    const { client, args, terminal } = this.#request;
    const file = readSettingsFile(this.#file);
    const settings = { file: file.path, text: file.text };
    const present = findEntry(settings, this.#request);
    const plan = async (token: string) => {
      const entry = client.entry(await this.#transport(token), this.#request.name);
      return { entry, ...addEntry(settings, this.#request, entry, args.has('force')) };
    };
    const known = await this.#known(present);
    const asked = mayApproveOption(args);
    const isKept = known !== null && (asked === undefined || asked === known.mayApprove);
    const shown = await plan((isKept ? tokenOf(present) : undefined) ?? placeholderToken);
    const { entry, status } = shown;
    const kind = this.#credentialKind(entry);
    if (kind === null && asked === true)
      throw new HostError('usage', 'connect creates no token here, so --may-approve has no effect', {
        hint: `create the token yourself: toolwharf token create ${this.#request.client.name} --may-approve`,
      });
    if (status === 'unchanged' && (isKept || kind === null)) {
      if (!args.has('dry-run')) await this.#acceptPackages();
      return this.#report('unchanged', { entry });
    }
    if (!(await this.#confirmChange(file, shown.text))) return this.#declined();
    await this.#acceptPackages();
    const write = (text: string) =>
      text === file.text ? undefined : writeSettingsFile(file, text, this.#privacy());
    const before = this.#secretOf(present);
    if (kind === null || (kind === 'http' && isKept)) {
      const backup = write(shown.text);
      if (before !== this.#secretOf(entry)) await revokeCredential(this.#request, before);
      this.#key.remove();
      return this.#report(status, { entry, backup });
    }
    const mayApprove = asked ?? known?.mayApprove ?? (await askMayApprove(client, args, terminal));
    const { id, written } = await issueCredential(
      this.#request,
      { kind, mayApprove, known },
      kind === 'http'
        ? async (token) => write((await plan(token)).text)
        : async (key) => this.#key.writeAnd(key, () => write(shown.text)),
    );
    if (known === null) await revokeCredential(this.#request, before);
    if (kind === 'http') this.#key.remove();
    return this.#report(status === 'unchanged' ? 'changed' : status, { entry, backup: written, token: id });
  }

  async remove(): Promise<number> {
    const file = readSettingsFile(this.#file);
    const settings = { file: file.path, text: file.text };
    const present = findEntry(settings, this.#request);
    const planned = removeEntry(settings, this.#request, this.#request.args.has('force'));
    if (planned.status === 'absent') return this.#report('absent', {});
    if (!(await this.#confirmChange(file, planned.text))) return this.#declined();
    const secret = this.#secretOf(present);
    const backup = writeSettingsFile(file, planned.text, this.#privacy());
    await revokeCredential(this.#request, secret);
    this.#key.remove();
    return this.#report('removed', { backup });
  }

  async undo(): Promise<number> {
    const { client, args } = this.#request;
    const file = readSettingsFile(this.#file);
    const backup = lastBackup(file);
    if (backup === undefined)
      throw new HostError('not_found', `no backup of ${this.#file}`, {
        hint: `remove the entry: toolwharf connect ${client.name} --remove`,
      });
    if (!backup.current && !args.has('force'))
      throw new HostError(
        'integrity',
        `${this.#file} changed since Toolwharf wrote it; these changes would be lost`,
        {
          hint: `remove only the Toolwharf entry with --remove, or restore ${backup.path} with --force`,
        },
      );
    if (!(await this.#confirmChange(file, backup.text))) return this.#declined();
    const before = this.#secretOf(this.#entryIn(file.text));
    const restored = this.#entryIn(backup.text);
    const after = this.#secretOf(restored);
    restoreSettingsFile(file, backup);
    if (before !== after) await revokeCredential(this.#request, before);
    if (!this.#key.isNamedBy(restored)) this.#key.remove();
    return this.#report('restored', { needsKey: this.#key.isNamedBy(restored) && after === undefined });
  }

  /** `token`: for a URL. Undefined: for printing, without a key of its own. */
  async #transport(token: string | undefined): Promise<ClientTransport> {
    const { client, scope, paths, machine, args, terminal } = this.#request;
    const written = args.value('http');
    if (written !== undefined) {
      if (!client.http)
        throw new HostError('usage', `${client.title} supports only programs, not URLs`, {
          hint: `run it without --http: toolwharf connect ${client.name} DIR; for a host elsewhere, let it start: toolwharf mcp --connect ${written} --token-file FILE`,
        });
      if (paths.length > 0)
        throw new HostError('usage', '--http uses a running host, which already has its packages', {
          hint: `name the folders there: toolwharf serve ${paths.join(' ')}`,
        });
      const url = mcpEndpoint(written);
      // A project's file is shared, and a host elsewhere has its own tokens: both refer to a variable instead.
      const writesToken = scope !== 'project' && isLoopbackHost(url.hostname);
      const value = writesToken ? (token ?? 'YOUR-TOKEN') : client.variable(tokenVariable);
      return { kind: 'http', url: url.href, authorization: `Bearer ${value}` };
    }
    const { cwd, main, environment } = terminal;
    const folders = paths.length === 0 ? (await sessionSettings(args, terminal)).defaultPaths() : paths;
    const missing = folders.find((it) => !existsSync(resolve(cwd, it)));
    if (missing !== undefined)
      throw new HostError('not_found', `no such file or folder: ${missing}`, { hint: 'check the path' });
    const state = args.value('state') ?? (environment.TOOLWHARF_HOME || undefined);
    const command = mcpCommand({
      node: machine.node,
      main,
      cwd,
      home: this.#home,
      paths: folders,
      root: args.value('root') ?? (client.startsInProject ? undefined : cwd),
      more: [
        ...sessionArgs(args),
        ...(state === undefined ? [] : ['--state', state]),
        ...(token === undefined ? [] : this.#key.args),
      ],
    });
    return { kind: 'stdio', ...command };
  }

  async #acceptPackages(): Promise<void> {
    const { paths, args, terminal } = this.#request;
    if (!args.has('http')) await acceptConnectedPackages(paths, args, terminal);
  }

  /** What the host knows about the token or key of the existing entry; null if it must be a new one. */
  async #known(present: JsonObject | undefined): Promise<TokenEntry | null> {
    const written = this.#request.args.value('http');
    if (present === undefined) return null;
    if (written === undefined) return knownCredential(this.#request, this.#key.of(present), 'stdio');
    if (urlOf(present) !== mcpEndpoint(written).href) return null;
    return knownCredential(this.#request, tokenOf(present), 'http');
  }

  /** Null if the entry has no token or key of its own. */
  #credentialKind(entry: JsonObject): TokenKind | null {
    if (this.#request.args.value('http') === undefined) return 'stdio';
    return tokenOf(entry) === undefined ? null : 'http';
  }

  #secretOf(entry: JsonObject | undefined): string | undefined {
    return tokenOf(entry) ?? this.#key.of(entry);
  }

  #privacy(): 'private' | 'shared' {
    return this.#request.scope === 'project' ? 'shared' : 'private';
  }

  async #confirmChange(file: SettingsFile, text: string): Promise<boolean> {
    const { client, args, terminal } = this.#request;
    return confirmFileChange({ title: client.title, file, text }, args, terminal);
  }

  #declined(): number {
    this.#report('declined', {});
    return this.#request.args.has('dry-run') ? 0 : 1;
  }

  #report(
    status: ConnectOutcome['status'],
    more: Pick<ConnectOutcome, 'entry' | 'backup' | 'token' | 'needsKey'>,
  ): number {
    const { client, scope, name, args, terminal } = this.#request;
    const others = status === 'added' || status === 'changed' || status === 'unchanged' ? this.#others() : [];
    const outcome = { client, scope, file: this.#file, name, status, others, ...more };
    if (args.has('json')) {
      terminal.out(`${JSON.stringify(outcomeDocument(outcome))}\n`);
      return 0;
    }
    const { result, notes } = outcomeText(outcome, isInNpxCache(scriptPath(terminal.main)));
    terminal.out(`${result}\n`);
    if (!args.has('quiet')) terminal.err(notes.map((it) => `${it}\n`).join(''));
    return 0;
  }

  #others(): readonly string[] {
    const { path, text } = readSettingsFile(this.#file);
    const { client, machine, terminal } = this.#request;
    return otherServers({ file: path, text }, client, { node: machine.node, main: terminal.main });
  }

  /** Undefined if the text cannot be parsed: a backup may contain an invalid file. */
  #entryIn(text: string | undefined): JsonObject | undefined {
    try {
      return findEntry({ file: this.#file, text }, this.#request);
    } catch {
      return undefined;
    }
  }
}
