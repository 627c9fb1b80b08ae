import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { Arguments } from '../cli/arguments.js';
import { withHost } from '../cli/attach.js';
import { sessionSettings } from '../cli/config.js';
import { sessionArgs } from '../cli/session-options.js';
import { styleFor } from '../cli/style-for.js';
import type { Terminal } from '../cli/terminal.js';
import { visibleLine } from '../print/visible.js';
import type { Client, Road, Scope } from './client.js';
import { printDifference } from './difference.js';
import { commandOf, endpointOf, homeOf, isLoopback, isPassing, scriptOf } from './launch.js';
import { type Outcome, outcomeDocument, outcomeText } from './outcome.js';
import { entryIn, tokenOf, tokenVariable, urlOf, withEntry, withoutEntry } from './plan.js';
import {
  checkWritable,
  lastBackup,
  readSettingsFile,
  restoreSettingsFile,
  type SettingsFile,
  writeSettingsFile,
} from './settings-file.js';

/** The machine as it is, or as a test says it is. */
export interface ConnectWorld {
  readonly platform: NodeJS.Platform;
  /** The interpreter that runs. */
  readonly node: string;
  /** Where the environment names no home. */
  readonly home: string;
}

export interface Wish {
  readonly client: Client;
  readonly scope: Scope;
  /** What the server is called. */
  readonly name: string;
  readonly paths: readonly string[];
  readonly world: ConnectWorld;
  readonly args: Arguments;
  readonly terminal: Terminal;
}

/** Stands for a token that is made only after somebody agreed. */
const unborn = 'tw_new';

/** One client, one scope, one file: what a person asked to be done with it. Each act returns an exit code. */
export class Connection {
  readonly #wish: Wish;
  readonly #home: string;
  readonly #file: string;

  constructor(wish: Wish) {
    const { client, scope, world, terminal } = wish;
    const { environment, cwd } = terminal;
    this.#wish = wish;
    this.#home = homeOf(environment, world.home);
    this.#file = client.file(scope, {
      platform: world.platform,
      home: this.#home,
      project: cwd,
      environment,
    });
  }

  async print(): Promise<number> {
    const { client, name, args, terminal } = this.#wish;
    const entry = client.entry(await this.#road('YOUR-TOKEN'));
    if (args.has('json')) return this.#tell('printed', { entry });
    terminal.out(`${JSON.stringify({ [client.container]: { [name]: entry } }, null, 2)}\n`);
    terminal.err(`for ${visibleLine(this.#file)}\n`);
    if (/YOUR-TOKEN|TOOLWHARF_TOKEN/.test(JSON.stringify(entry)))
      terminal.err(`make a token: toolwharf token create ${client.name}\n`);
    return 0;
  }

  async connect(): Promise<number> {
    const { args } = this.#wish;
    const file = readSettingsFile(this.#file);
    const settings = { file: file.path, text: file.text };
    const present = entryIn(settings, this.#wish);
    const plan = async (token: string) => {
      const entry = this.#wish.client.entry(await this.#road(token));
      return { entry, ...withEntry(settings, this.#wish, entry, args.has('force')) };
    };
    const shown = await plan((await this.#keptToken(present)) ?? unborn);
    const { entry, status } = shown;
    if (status === 'unchanged') return this.#tell('unchanged', { entry });
    if (!(await this.#agreed(file, shown.text))) return this.#declined();
    if (tokenOf(entry) !== unborn) {
      const backup = writeSettingsFile(file, shown.text, this.#privacy());
      if (tokenOf(present) !== tokenOf(entry)) await this.#withdraw(tokenOf(present));
      return this.#tell(status, { entry, backup });
    }
    const { made, backup } = await this.#withToken((token) => plan(token), file);
    await this.#withdraw(tokenOf(present));
    return this.#tell(status, { entry, backup, token: made });
  }

  async remove(): Promise<number> {
    const file = readSettingsFile(this.#file);
    const settings = { file: file.path, text: file.text };
    const present = entryIn(settings, this.#wish);
    const planned = withoutEntry(settings, this.#wish, this.#wish.args.has('force'));
    if (planned.status === 'absent') return this.#tell('absent', {});
    if (!(await this.#agreed(file, planned.text))) return this.#declined();
    const backup = writeSettingsFile(file, planned.text, this.#privacy());
    await this.#withdraw(tokenOf(present));
    return this.#tell('removed', { backup });
  }

  async undo(): Promise<number> {
    const { client, args } = this.#wish;
    const file = readSettingsFile(this.#file);
    const backup = lastBackup(file);
    if (backup === undefined)
      throw new HostError('not_found', `there is no earlier ${this.#file} that Toolwharf kept`, {
        hint: `take the entry out: toolwharf connect ${client.name} --remove`,
      });
    if (!backup.current && !args.has('force'))
      throw new HostError('integrity', `${this.#file} changed since Toolwharf wrote it; that would be lost`, {
        hint: `take out only our entry with --remove, or put ${backup.path} back with --force`,
      });
    if (!(await this.#agreed(file, backup.text))) return this.#declined();
    const before = this.#tokenIn(file.text);
    restoreSettingsFile(file, backup);
    if (before !== this.#tokenIn(backup.text)) await this.#withdraw(before);
    return this.#tell('restored', {});
  }

  async #road(token: string): Promise<Road> {
    const { client, scope, paths, world, args, terminal } = this.#wish;
    const written = args.value('http');
    if (written !== undefined) {
      if (!client.http)
        throw new HostError('usage', `${client.title} starts programs and takes no URL`, {
          hint: `leave --http out: toolwharf connect ${client.name} DIR`,
        });
      if (paths.length > 0)
        throw new HostError('usage', 'a host that runs already knows its packages', {
          hint: `name them there: toolwharf serve ${paths.join(' ')}`,
        });
      const url = endpointOf(written);
      // A file of a project is shared, and a host elsewhere makes its own tokens.
      const own = scope === 'user' && isLoopback(url);
      const value = own ? token : client.variable(tokenVariable);
      return { kind: 'http', url: url.href, authorization: `Bearer ${value}` };
    }
    const { cwd, main, environment } = terminal;
    const named = paths.length === 0 ? (await sessionSettings(args, terminal)).defaultPaths() : paths;
    const lost = named.find((it) => !existsSync(resolve(cwd, it)));
    if (lost !== undefined)
      throw new HostError('not_found', `there is nothing at ${lost}`, { hint: 'check the path' });
    const state = args.value('state') ?? (environment.TOOLWHARF_HOME || undefined);
    const command = commandOf({
      node: world.node,
      main,
      cwd,
      home: this.#home,
      paths: named,
      root: args.value('root') ?? (client.startsInProject ? undefined : cwd),
      more: [...sessionArgs(args), ...(state === undefined ? [] : ['--state', state])],
    });
    return { kind: 'stdio', ...command };
  }

  /** The token of the entry, if it still opens the same door. */
  async #keptToken(present: JsonObject | undefined): Promise<string | undefined> {
    const { args, terminal } = this.#wish;
    const token = tokenOf(present);
    const written = args.value('http');
    if (token === undefined || present === undefined || written === undefined) return undefined;
    if (urlOf(present) !== endpointOf(written).href) return undefined;
    const known = await withHost(args, terminal, (host) => host.tokens.check(token));
    return known === undefined ? undefined : token;
  }

  /** Makes a token for this client and writes it; a token that nobody got does not stay. */
  async #withToken(
    plan: (token: string) => Promise<{ readonly text: string }>,
    file: SettingsFile,
  ): Promise<{ readonly made: string; readonly backup: string | undefined }> {
    const { client, name, args, terminal } = this.#wish;
    const by = terminal.principal;
    return withHost(args, terminal, async (host) => {
      const label = name === 'toolwharf' ? client.name : `${client.name}-${name}`;
      const { entry, token } = await host.tokens.create({ name: label, role: 'agent', expiresAt: null, by });
      try {
        const { text } = await plan(token);
        return { made: entry.id, backup: writeSettingsFile(file, text, this.#privacy()) };
      } catch (error) {
        await host.tokens.revoke(entry.id, by);
        throw error;
      }
    });
  }

  async #withdraw(token: string | undefined): Promise<void> {
    if (token === undefined) return;
    const { args, terminal } = this.#wish;
    await withHost(args, terminal, async (host) => {
      const known = await host.tokens.check(token);
      if (known !== undefined) await host.tokens.revoke(known.id, terminal.principal);
    });
  }

  #privacy(): 'private' | 'shared' {
    return this.#wish.scope === 'user' ? 'private' : 'shared';
  }

  /** Shows the change and asks. False when nothing is to be written. */
  async #agreed(file: SettingsFile, text: string): Promise<boolean> {
    const { client, args, terminal } = this.#wish;
    checkWritable(file);
    if (!args.has('json') && !args.has('quiet')) {
      const link = file.real === file.path ? '' : `, a link to ${file.real}`;
      const fresh = file.text === undefined ? ', which is new' : '';
      terminal.out(`${visibleLine(`${client.title} reads ${file.path}${link}${fresh}`)}\n`);
      terminal.out(printDifference(file.text ?? '', text, styleFor(args, terminal)));
    }
    if (args.has('dry-run')) return false;
    if (args.has('yes')) return true;
    if (!terminal.stdinIsTerminal || args.has('no-input') || args.has('json'))
      throw new HostError('usage', `${file.path} would be changed, and nobody is here to agree`, {
        hint: 'add --yes to write it; --dry-run shows the change',
      });
    return terminal.confirm('Write this?');
  }

  #declined(): number {
    this.#tell('declined', {});
    return this.#wish.args.has('dry-run') ? 0 : 1;
  }

  #tell(status: Outcome['status'], more: Pick<Outcome, 'entry' | 'backup' | 'token'>): number {
    const { client, scope, name, args, terminal } = this.#wish;
    const outcome = { client, scope, file: this.#file, name, status, ...more };
    if (args.has('json')) {
      terminal.out(`${JSON.stringify(outcomeDocument(outcome))}\n`);
      return 0;
    }
    const { result, notes } = outcomeText(outcome, isPassing(scriptOf(terminal.main)));
    terminal.out(`${result}\n`);
    if (!args.has('quiet')) terminal.err(notes.map((it) => `${it}\n`).join(''));
    return 0;
  }

  /** A backup may be of a file that was broken then. */
  #tokenIn(text: string | undefined): string | undefined {
    try {
      return tokenOf(entryIn({ file: this.#file, text }, this.#wish));
    } catch {
      return undefined;
    }
  }
}
