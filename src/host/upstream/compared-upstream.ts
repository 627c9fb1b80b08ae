import { type AnnouncedApp, isAppAddress } from '../../model/app-resource.js';
import { type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import { callCanceled, HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { HookPoint } from '../../model/package.js';
import { appOf } from '../../run/mcp/announced-apps.js';
import type { AskedClient, RunResult } from '../../run/run.js';
import { isUpstreamFailure } from '../../run/upstream/failure-class.js';
import type {
  Deadline,
  ResourceSubscription,
  Upstream,
  UpstreamAnnouncement,
  UpstreamCall,
  UpstreamEnd,
} from '../../run/upstream/upstream.js';
import { type AnnouncedPart, partDifference } from './announcement-difference.js';
import { acceptedApp } from './upstream-apps.js';

/** A call, with a last check of whether it may still be sent. */
export interface ComparedCall extends UpstreamCall {
  /** Called after the comparison, right before the call is sent. Throws if the definition of the tool was replaced. */
  readonly assertCurrent: () => void;
}

export interface ComparedUpstreamOptions {
  /** For messages: `package (program)`. */
  readonly name: string;
  /** The announcement at the start, without secrets. It was compared already. */
  readonly announced: UpstreamAnnouncement;
  /** True if the host did not start the program: it can be replaced without a new connection. */
  readonly isOutside: boolean;
  /** Whether the program reported a change while it started. */
  readonly wasChanged: boolean;
  /** Compares an announcement with the accepted one, and stores it. */
  readonly record: (announced: UpstreamAnnouncement) => Promise<void>;
  /** Announces again, without secrets. Null if the program announces only when it starts. */
  readonly list: ((deadline: Deadline) => Promise<UpstreamAnnouncement>) | null;
  /** What the operator accepted by now. */
  readonly agreed: () => UpstreamAnnouncement;
  /** What the operator has to do about a change, as a hint. */
  readonly reviewHint: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** After this time, a program that the host did not start announces again before it gets the next request. */
export const comparisonLifetimeMs = 5 * 60_000;
/** How long a running program may take to announce again. */
const listTimeoutMs = 10_000;
/** Listings for one request: the program may report another change during the first one. */
const maxListings = 2;

/**
 * A connected program that gets only requests whose definition is the accepted one. Each connection is compared by
 * itself: another process of the same program may announce something else.
 */
export class ComparedUpstream implements Upstream {
  readonly ended: Promise<UpstreamEnd>;
  readonly #upstream: Upstream;
  readonly #options: ComparedUpstreamOptions;
  #announced: UpstreamAnnouncement;
  /** Reported changes so far, and how many of them the last comparison covers. */
  #changes = 0;
  #comparedChanges = 0;
  #comparedAt: number;
  #listing: Promise<void> | undefined;
  /** Parts that were compared, for the accepted announcement and the current one. */
  #unchanged = new Set<string>();
  #unchangedIn: readonly [UpstreamAnnouncement, UpstreamAnnouncement] | undefined;

  constructor(upstream: Upstream, options: ComparedUpstreamOptions) {
    this.#upstream = upstream;
    this.#options = options;
    this.#announced = options.announced;
    this.#comparedAt = options.now();
    if (options.wasChanged) this.#changes++;
    this.ended = upstream.ended;
  }

  get announced(): UpstreamAnnouncement {
    return this.#announced;
  }

  /** The next request waits for a comparison. */
  markChanged(): void {
    this.#changes++;
  }

  /** Compares if the last comparison may be outdated. `again`: in any case, if the program can announce again. */
  async compare(deadline: Deadline, again = false): Promise<void> {
    if (again) await this.#list(deadline);
    for (let round = again ? 1 : 0; round < maxListings && this.#isOutdated(); round++)
      await this.#list(deadline);
  }

  /** Throws if the program does not announce a part as it was accepted. */
  async assertAgreed(part: AnnouncedPart): Promise<void> {
    if (this.#isUnchanged(part)) return;
    // Another process of the program may have announced something else meanwhile: this change is the one to review.
    await this.#options.record(this.#announced);
    throw this.#changedError(part);
  }

  async call(call: ComparedCall): Promise<RunResult> {
    const { timeoutMs, signal } = await this.#ready({ kind: 'tool', name: call.tool }, call);
    call.assertCurrent();
    return await this.#watched(() => this.#upstream.call({ ...call, timeoutMs, signal }));
  }

  async hook(point: HookPoint, event: JsonObject, deadline: Deadline): Promise<Json> {
    const left = await this.#ready({ kind: 'hook', name: point }, deadline);
    return this.#watched(() => this.#supported('hook', 'hooks').call(this.#upstream, point, event, left));
  }

  async prompt(name: string, args: JsonObject, deadline: Deadline, client?: AskedClient): Promise<Json> {
    const left = await this.#ready({ kind: 'prompt', name }, deadline);
    const prompt = this.#supported('prompt', 'prompts');
    return this.#watched(() => prompt.call(this.#upstream, name, args, left, client));
  }

  async resource(uri: string, deadline: Deadline, client?: AskedClient): Promise<Json> {
    const left = await this.#ready({ kind: 'resource', name: uri }, deadline);
    const isApp = isAppAddress(uri);
    if (isApp && acceptedApp(this.#options.agreed(), uri) === undefined)
      throw this.#appError(uri, 'was never accepted');
    const resource = this.#supported('resource', 'resources');
    const result = await this.#watched(() => resource.call(this.#upstream, uri, left, client));
    if (isApp) await this.#assertAgreedApp(appOf(uri, result));
    return result;
  }

  async complete(params: JsonObject, deadline: Deadline): Promise<Json> {
    const { name, uri } = isObject(params.ref) ? params.ref : {};
    const part: AnnouncedPart =
      typeof name === 'string' ? { kind: 'prompt', name } : { kind: 'resource', name: String(uri) };
    const left = await this.#ready(part, deadline);
    return this.#watched(() => this.#supported('complete', 'completion').call(this.#upstream, params, left));
  }

  async subscribe(
    uri: string,
    onUpdate: (uri: string) => void,
    deadline: Deadline,
  ): Promise<ResourceSubscription> {
    const left = await this.#ready({ kind: 'resource', name: uri }, deadline);
    const subscribe = this.#supported('subscribe', 'subscriptions');
    return this.#watched(() => subscribe.call(this.#upstream, uri, onUpdate, left));
  }

  close(reason: string): Promise<void> {
    return this.#upstream.close(reason);
  }

  kill(): void {
    if (this.#upstream.kill === undefined) void this.#upstream.close('it was stopped');
    else this.#upstream.kill();
  }

  /** Throws if the page of an app is not the accepted one. A changed page waits for a review, until it is back. */
  async #assertAgreedApp(read: AnnouncedApp): Promise<void> {
    const { apps = [] } = this.#announced;
    if (apps.find((it) => it.uri === read.uri)?.content !== read.content) {
      const others = apps.filter((it) => it.uri !== read.uri);
      this.#announced = { ...this.#announced, apps: [...others, read] };
      await this.#options.record(this.#announced);
    }
    if (acceptedApp(this.#options.agreed(), read.uri)?.content === read.content) return;
    throw this.#appError(read.uri, 'changed since you accepted it');
  }

  #appError(uri: string, what: string): HostError {
    const { name, reviewHint: hint } = this.#options;
    return new HostError('needs_review', `the app ${uri} of ${name} ${what}, so it is not shown`, { hint });
  }

  /** The time that is left for a request after the comparison. */
  async #ready(part: AnnouncedPart, { timeoutMs, signal }: Deadline): Promise<Deadline> {
    if (!this.#isOutdated() && this.#isUnchanged(part)) return { timeoutMs, signal };
    const started = performance.now();
    await this.compare({ timeoutMs, signal });
    await this.assertAgreed(part);
    const left = Math.round(timeoutMs - (performance.now() - started));
    return { timeoutMs: Math.max(1, left), signal };
  }

  #isOutdated(): boolean {
    if (this.#changes !== this.#comparedChanges) return true;
    const age = this.#options.now() - this.#comparedAt;
    // A clock that was set back says nothing about the age.
    return this.#options.isOutside && (age > comparisonLifetimeMs || age < 0);
  }

  #isUnchanged(part: AnnouncedPart): boolean {
    const agreed = this.#options.agreed();
    if (this.#unchangedIn?.[0] !== agreed || this.#unchangedIn[1] !== this.#announced) {
      this.#unchanged = new Set();
      this.#unchangedIn = [agreed, this.#announced];
    }
    const key = `${part.kind} ${part.name}`;
    if (this.#unchanged.has(key)) return true;
    if (partDifference(agreed, this.#announced, part) !== 'none') return false;
    // Addresses of resources are unlimited.
    if (part.kind !== 'resource') this.#unchanged.add(key);
    return true;
  }

  #changedError(part: AnnouncedPart): HostError {
    const { name, agreed, reviewHint } = this.#options;
    const what = `the ${part.kind} ${part.name}`;
    const isMissing = partDifference(agreed(), this.#announced, part) === 'missing';
    return new HostError(
      'needs_review',
      isMissing
        ? `${what} is no longer offered by ${name}; nothing was sent to it`
        : `${what} of ${name} changed since you accepted it; nothing was sent to it`,
      { hint: reviewHint },
    );
  }

  /** Lists again. Requests that wait at the same time share one listing. Without a new listing, nothing is sent. */
  #list({ timeoutMs, signal }: Deadline): Promise<void> {
    this.#listing ??= this.#listNow().finally(() => {
      this.#listing = undefined;
    });
    return within(this.#listing, timeoutMs, signal, this.#options.name);
  }

  async #listNow(): Promise<void> {
    const { list, record, name, now } = this.#options;
    // From the start: what changes during the listing is not covered by it.
    const changes = this.#changes;
    const startedAt = now();
    if (list !== null) {
      try {
        this.#announced = await list({ timeoutMs: listTimeoutMs, signal: neverCanceled });
      } catch (error) {
        throw notCompared(name, error);
      }
    } else if (changes !== this.#comparedChanges) {
      throw notCompared(name, new HostError('upstream_failed', 'it announces them only when it starts'));
    }
    await record(this.#announced);
    this.#comparedChanges = changes;
    this.#comparedAt = startedAt;
  }

  /** After a failure, a program that the host did not start may be another one when it answers again. */
  async #watched<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (this.#options.isOutside && isUpstreamFailure(error)) this.markChanged();
      throw error;
    }
  }

  #supported<K extends 'hook' | 'prompt' | 'resource' | 'complete' | 'subscribe'>(
    method: K,
    feature: string,
  ): NonNullable<Upstream[K]> {
    const supported = this.#upstream[method];
    if (supported === undefined)
      throw new HostError('not_supported', `${this.#options.name} does not support ${feature}`);
    return supported;
  }
}

function notCompared(name: string, error: unknown): unknown {
  if (!(error instanceof HostError)) return error;
  const { code, message, hint } = error;
  return new HostError(
    code,
    `nothing was sent to ${name}: it could not be asked whether its tools changed: ${message}`,
    { cause: error, ...(hint === undefined ? {} : { hint }) },
  );
}

/** Waits for shared work, at most as long as one request may take. */
function within(work: Promise<void>, timeoutMs: number, signal: CancelSignal, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(callCanceled());
    const timer = setTimeout(
      () =>
        reject(
          new HostError('timeout', `${name} did not announce its tools within ${timeoutMs / 1000} s`, {
            hint: 'nothing was sent to it; call again later',
          }),
        ),
      timeoutMs,
    );
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    });
  });
}
