import { asHostError, HostError } from '../model/host-error.js';
import type { JsonObject } from '../model/json.js';
import type { Rule } from '../model/rule.js';
import { type Signal, unstoppable } from '../model/signal.js';
import type { CallServices } from './call.js';
import type { Session } from './host.js';
import type { OfferedPrompt } from './prompts.js';
import { assertReadable, countReading, guardReading, type ReadWhat } from './reading-rules.js';
import type { SessionSetup } from './session-services.js';
import { wordsOf } from './upstream-content.js';

/** Something of a server that can be read. */
export interface Reading {
  readonly what: ReadWhat;
  readonly program: string;
  /** Throws when what would be asked for must not leave. */
  screen(given: JsonObject): Promise<void>;
  read(given: JsonObject, signal: Signal): Promise<JsonObject>;
}

export interface ReadingsOptions {
  readonly catalog: {
    readonly setup: SessionSetup;
    prompts(): Promise<readonly OfferedPrompt[]>;
    resource(uri: string): Promise<Reading | undefined>;
  };
  readonly call: Session['call'];
  readonly path: Pick<CallServices, 'kills' | 'audit' | 'limits' | 'running'>;
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
        assertReadable(source.what, this.#rules);
        return source.read();
      case 'server':
        return wordsOf(await this.messages(name, given));
      case 'tool':
        return this.#filled(source.tool, given);
    }
  }

  async messages(name: string, given: JsonObject, signal: Signal = unstoppable): Promise<JsonObject> {
    const { source, listed } = await this.#find(name);
    if (source.kind === 'server') return this.#guarded(source, given, { prompt: name }, signal);
    const text = await this.prompt(name, given);
    const messages = [{ role: 'user', content: { type: 'text', text } }];
    return { description: listed.description, messages };
  }

  async resource(uri: string, signal: Signal = unstoppable): Promise<JsonObject> {
    const found = await this.#options.catalog.resource(uri);
    if (found === undefined)
      throw new HostError('not_found', `there is no resource ${JSON.stringify(uri.slice(0, 200))} here`);
    return this.#guarded(found, { uri }, { resource: uri.slice(0, 500) }, signal);
  }

  get #rules(): readonly Rule[] {
    return this.#options.catalog.setup.policy.rules ?? [];
  }

  /** The road of a call, as far as it concerns reading: it must be alive and allowed, hold no secret, and be on record. */
  async #guarded(
    { what, program, screen, read }: Reading,
    given: JsonObject,
    recorded: JsonObject,
    signal: Signal,
  ): Promise<JsonObject> {
    const { kills, audit, limits, running } = this.#options.path;
    const { principal } = this.#options.catalog.setup;
    const who = { principal, package: what.of.id };
    const about = { ...who, session: this.#options.session, program };
    const run = running.enter(who, signal);
    try {
      const asked = await this.#allowed(async () => {
        kills.look();
        kills.assertAlive(who);
        const guarded = await guardReading(what, given, this.#rules);
        await screen(guarded);
        await countReading(what, principal, this.#rules, limits);
        return guarded;
      }, about);
      await audit.append({ kind: 'read', body: { ...about, ...recorded } });
      if (run.stopped === undefined) return await read(asked, run.signal);
    } catch (error) {
      if (run.stopped === undefined) throw error;
    } finally {
      run.leave();
    }
    throw run.stopped;
  }

  /** What was asked for is not written down with a refusal: it may be what must not be seen. */
  async #allowed<T>(check: () => Promise<T>, about: JsonObject): Promise<T> {
    try {
      return await check();
    } catch (error) {
      const { code } = asHostError(error);
      await this.#options.path.audit.append({ kind: 'refusal', body: { ...about, code } });
      throw error;
    }
  }

  async #find(name: string): Promise<OfferedPrompt> {
    const found = (await this.#options.catalog.prompts()).find((it) => it.listed.name === name);
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
