import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { isLoopbackHost } from '../../model/host-name.js';
import type { JsonObject } from '../../model/json.js';
import type { Arguments } from '../cli/command/command.js';
import { sessionSettings } from '../cli/config/config.js';
import { sessionArgs } from '../cli/config/session-options.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import { terminalStyle } from '../cli/terminal/terminal-style.js';
import { withHost } from '../cli/with-host.js';
import { visibleLine } from '../print/visible.js';
import type { Client, ClientTransport, ConfigScope } from './client.js';
import { homeDirectory, isInNpxCache, mcpCommand, mcpEndpoint, scriptPath } from './launch.js';
import { type ConnectOutcome, outcomeDocument, outcomeText } from './outcome.js';
import { printDiff } from './settings-diff.js';
import { addEntry, findEntry, removeEntry, tokenOf, tokenVariable, urlOf } from './settings-edit.js';
import {
  checkWritable,
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

export interface ConnectRequest {
  readonly client: Client;
  readonly scope: ConfigScope;
  /** Name of the server entry. */
  readonly name: string;
  readonly paths: readonly string[];
  readonly machine: ConnectMachine;
  readonly args: Arguments;
  readonly terminal: Terminal;
}

/** Placeholder in the preview: the token is created only after a person agreed. */
const placeholderToken = 'tw_new';

/** Changes the configuration file of one client in one scope. Each operation returns an exit code. */
export class Connection {
  readonly #request: ConnectRequest;
  readonly #home: string;
  readonly #file: string;

  constructor(request: ConnectRequest) {
    const { client, scope, machine, terminal } = request;
    const { environment, cwd } = terminal;
    this.#request = request;
    this.#home = homeDirectory(environment, machine.home);
    this.#file = client.file(scope, {
      platform: machine.platform,
      home: this.#home,
      project: cwd,
      environment,
    });
  }

  async print(): Promise<number> {
    const { client, name, args, terminal } = this.#request;
    const entry = client.entry(await this.#transport('YOUR-TOKEN'));
    if (args.has('json')) return this.#report('printed', { entry });
    terminal.out(`${JSON.stringify({ [client.container]: { [name]: entry } }, null, 2)}\n`);
    terminal.err(`for ${visibleLine(this.#file)}\n`);
    if (/YOUR-TOKEN|TOOLWHARF_TOKEN/.test(JSON.stringify(entry)))
      terminal.err(`create a token: toolwharf token create ${client.name}\n`);
    return 0;
  }

  async connect(): Promise<number> {
    const { args } = this.#request;
    const file = readSettingsFile(this.#file);
    const settings = { file: file.path, text: file.text };
    const present = findEntry(settings, this.#request);
    const plan = async (token: string) => {
      const entry = this.#request.client.entry(await this.#transport(token));
      return { entry, ...addEntry(settings, this.#request, entry, args.has('force')) };
    };
    const shown = await plan((await this.#reusableToken(present)) ?? placeholderToken);
    const { entry, status } = shown;
    if (status === 'unchanged') return this.#report('unchanged', { entry });
    if (!(await this.#confirmChange(file, shown.text))) return this.#declined();
    if (tokenOf(entry) !== placeholderToken) {
      const backup = writeSettingsFile(file, shown.text, this.#privacy());
      if (tokenOf(present) !== tokenOf(entry)) await this.#revokeToken(tokenOf(present));
      return this.#report(status, { entry, backup });
    }
    const { tokenId, backup } = await this.#withToken((token) => plan(token), file);
    await this.#revokeToken(tokenOf(present));
    return this.#report(status, { entry, backup, token: tokenId });
  }

  async remove(): Promise<number> {
    const file = readSettingsFile(this.#file);
    const settings = { file: file.path, text: file.text };
    const present = findEntry(settings, this.#request);
    const planned = removeEntry(settings, this.#request, this.#request.args.has('force'));
    if (planned.status === 'absent') return this.#report('absent', {});
    if (!(await this.#confirmChange(file, planned.text))) return this.#declined();
    const backup = writeSettingsFile(file, planned.text, this.#privacy());
    await this.#revokeToken(tokenOf(present));
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
    const before = this.#tokenIn(file.text);
    restoreSettingsFile(file, backup);
    if (before !== this.#tokenIn(backup.text)) await this.#revokeToken(before);
    return this.#report('restored', {});
  }

  async #transport(token: string): Promise<ClientTransport> {
    const { client, scope, paths, machine, args, terminal } = this.#request;
    const written = args.value('http');
    if (written !== undefined) {
      if (!client.http)
        throw new HostError('usage', `${client.title} supports only programs, not URLs`, {
          hint: `run it without --http: toolwharf connect ${client.name} DIR`,
        });
      if (paths.length > 0)
        throw new HostError('usage', '--http uses a running host, which already has its packages', {
          hint: `name the folders there: toolwharf serve ${paths.join(' ')}`,
        });
      const url = mcpEndpoint(written);
      // A project's file is shared, and a host elsewhere has its own tokens: both refer to a variable instead.
      const writesToken = scope === 'user' && isLoopbackHost(url.hostname);
      const value = writesToken ? token : client.variable(tokenVariable);
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
      more: [...sessionArgs(args), ...(state === undefined ? [] : ['--state', state])],
    });
    return { kind: 'stdio', ...command };
  }

  /** The token of the existing entry, if it is still valid for the same URL. */
  async #reusableToken(present: JsonObject | undefined): Promise<string | undefined> {
    const { args, terminal } = this.#request;
    const token = tokenOf(present);
    const written = args.value('http');
    if (token === undefined || present === undefined || written === undefined) return undefined;
    if (urlOf(present) !== mcpEndpoint(written).href) return undefined;
    const known = await withHost(args, terminal, (host) => host.tokens.check(token));
    return known === null ? undefined : token;
  }

  /** Creates a token for this client and writes it. Revokes the token if writing fails. */
  async #withToken(
    plan: (token: string) => Promise<{ readonly text: string }>,
    file: SettingsFile,
  ): Promise<{ readonly tokenId: string; readonly backup: string | undefined }> {
    const { client, name, args, terminal } = this.#request;
    const by = terminal.principal;
    return withHost(args, terminal, async (host) => {
      const label = name === 'toolwharf' ? client.name : `${client.name}-${name}`;
      const { entry, token } = await host.tokens.create({ name: label, role: 'agent', expiresAt: null, by });
      try {
        const { text } = await plan(token);
        return { tokenId: entry.id, backup: writeSettingsFile(file, text, this.#privacy()) };
      } catch (error) {
        await host.tokens.revoke(entry.id, by);
        throw error;
      }
    });
  }

  async #revokeToken(token: string | undefined): Promise<void> {
    if (token === undefined) return;
    const { args, terminal } = this.#request;
    await withHost(args, terminal, async (host) => {
      const known = await host.tokens.check(token);
      if (known !== null) await host.tokens.revoke(known.id, terminal.principal);
    });
  }

  #privacy(): 'private' | 'shared' {
    return this.#request.scope === 'user' ? 'private' : 'shared';
  }

  /** Shows the change and asks. False if nothing is to be written. */
  async #confirmChange(file: SettingsFile, text: string): Promise<boolean> {
    const { client, args, terminal } = this.#request;
    checkWritable(file);
    if (!args.has('json') && !args.has('quiet')) {
      const link = file.real === file.path ? '' : ` (a link to ${file.real})`;
      const isNew = file.text === undefined ? ' (new file)' : '';
      terminal.out(`${visibleLine(`${client.title} configuration: ${file.path}${link}${isNew}`)}\n`);
      terminal.out(printDiff(file.text ?? '', text, terminalStyle(args, terminal)));
    }
    if (args.has('dry-run')) return false;
    if (args.has('yes')) return true;
    if (!terminal.stdinIsTerminal || args.has('no-input') || args.has('json'))
      throw new HostError('usage', `cannot ask for permission to change ${file.path}: no terminal`, {
        hint: 'add --yes to write the change, or --dry-run to only see it',
      });
    return terminal.confirm('Write this change?');
  }

  #declined(): number {
    this.#report('declined', {});
    return this.#request.args.has('dry-run') ? 0 : 1;
  }

  #report(
    status: ConnectOutcome['status'],
    more: Pick<ConnectOutcome, 'entry' | 'backup' | 'token'>,
  ): number {
    const { client, scope, name, args, terminal } = this.#request;
    const outcome = { client, scope, file: this.#file, name, status, ...more };
    if (args.has('json')) {
      terminal.out(`${JSON.stringify(outcomeDocument(outcome))}\n`);
      return 0;
    }
    const { result, notes } = outcomeText(outcome, isInNpxCache(scriptPath(terminal.main)));
    terminal.out(`${result}\n`);
    if (!args.has('quiet')) terminal.err(notes.map((it) => `${it}\n`).join(''));
    return 0;
  }

  /** Undefined if the text cannot be parsed: a backup may contain an invalid file. */
  #tokenIn(text: string | undefined): string | undefined {
    try {
      return tokenOf(findEntry({ file: this.#file, text }, this.#request));
    } catch {
      return undefined;
    }
  }
}
