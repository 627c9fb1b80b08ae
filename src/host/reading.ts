import { asHostError, HostError } from '../model/host-error.js';
import type { JsonObject } from '../model/json.js';
import { type Signal, unstoppable } from '../model/signal.js';
import type { AuditLog } from '../store/audit.js';
import type { Session } from './host.js';
import type { KillSwitch } from './kill-switch.js';
import type { OfferedPrompt } from './prompts.js';
import { wordsOf } from './upstream.js';

/** Something of a server that can be read. */
export interface Reading {
  readonly package: string;
  readonly program: string;
  /** Throws when what would be asked for must not leave. */
  screen(): Promise<void>;
  read(): Promise<JsonObject>;
}

export interface PromptReading extends Omit<Reading, 'read' | 'screen'> {
  screen(given: JsonObject): Promise<void>;
  read(given: JsonObject, signal: Signal): Promise<JsonObject>;
}

export interface ReadingsOptions {
  readonly catalogue: {
    prompts(): Promise<readonly OfferedPrompt[]>;
    resource(uri: string, signal: Signal): Promise<Reading | undefined>;
  };
  readonly call: Session['call'];
  readonly kills: KillSwitch;
  readonly audit: AuditLog;
  readonly principal: string;
  readonly session: string;
}

/** Prompts and resources of one session. Whatever a server is asked for is on record, and stops where calls stop. */
export class Readings {
  readonly #options: ReadingsOptions;

  constructor(options: ReadingsOptions) {
    this.#options = options;
  }

  async prompt(name: string, given: JsonObject): Promise<string> {
    const { source } = await this.#find(name);
    switch (source.kind) {
      case 'words':
        return source.read();
      case 'server':
        return wordsOf(await this.messages(name, given));
      case 'tool':
        return this.#filled(source.tool, given);
    }
  }

  async messages(name: string, given: JsonObject, signal: Signal = unstoppable): Promise<JsonObject> {
    const { source, listed } = await this.#find(name);
    if (source.kind === 'server')
      return this.#guarded(
        { ...source, screen: () => source.screen(given), read: () => source.read(given, signal) },
        { prompt: name },
      );
    const text = await this.prompt(name, given);
    const messages = [{ role: 'user', content: { type: 'text', text } }];
    return { description: listed.description, messages };
  }

  async resource(uri: string, signal: Signal = unstoppable): Promise<JsonObject> {
    const found = await this.#options.catalogue.resource(uri, signal);
    if (found === undefined)
      throw new HostError('not_found', `there is no resource ${JSON.stringify(uri.slice(0, 200))} here`);
    return this.#guarded(found, { resource: uri.slice(0, 500) });
  }

  async #guarded({ package: id, program, screen, read }: Reading, what: JsonObject): Promise<JsonObject> {
    const { kills, audit, principal, session } = this.#options;
    const about = { principal, session, package: id, program };
    try {
      kills.assertAlive({ package: id, principal });
      await screen();
    } catch (error) {
      // What was asked for is not written down here: it may be what must not be seen.
      await audit.append({ kind: 'refusal', body: { ...about, code: asHostError(error).code } });
      throw error;
    }
    await audit.append({ kind: 'read', body: { ...about, ...what } });
    return read();
  }

  async #find(name: string): Promise<OfferedPrompt> {
    const found = (await this.#options.catalogue.prompts()).find((it) => it.listed.name === name);
    if (found !== undefined) return found;
    throw new HostError('not_found', `there is no prompt ${JSON.stringify(name)} here`);
  }

  async #filled(tool: string, given: JsonObject): Promise<string> {
    const answer = await this.#options.call({ tool, arguments: given });
    if (answer.status === 'ok') return String(answer.result);
    const { code, message, hint } = answer.error ?? {
      code: 'approval_required',
      message: 'a person must agree first',
    };
    throw new HostError(code, message, hint === undefined ? {} : { hint });
  }
}
