import { Cancellation, neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import type { Deadline, ResourceSubscription } from '../upstream/upstream.js';
import type { NegotiatedRevision } from './handshake.js';
import { type McpPeer, toHostError } from './mcp-dialect.js';

/** One watched resource of a connection, and who watches it. */
interface Watched {
  readonly listeners: Set<(uri: string) => void>;
  /** Resolves when the server has agreed. */
  readonly begun: Promise<void>;
  /** Resolves when the server ended it. */
  readonly ended: Promise<void>;
  /** Tells the server that nobody watches it any more. */
  readonly end: () => void;
}

/** Watched resources of one connection. */
const maxWatched = 256;
/** Characters of an address in an update. */
const maxUri = 4000;
/** The maximum of a timer. */
const forever = 2 ** 31 - 1;
const subscriptionIdKey = 'io.modelcontextprotocol/subscriptionId';

/** The resources that are watched over one connection. Several watchers of one resource share a subscription. */
export class ResourceSubscriptions {
  readonly #peer: McpPeer;
  readonly #name: string;
  readonly #watched = new Map<string, Watched>();
  /** Subscriptions of the 2026 era that the server has not agreed to yet, by request. */
  readonly #agreeing = new Map<number, (granted: boolean) => void>();

  constructor(peer: McpPeer, name: string) {
    this.#peer = peer;
    this.#name = name;
  }

  async subscribe(
    negotiated: NegotiatedRevision,
    uri: string,
    onUpdate: (uri: string) => void,
    deadline: Deadline,
  ): Promise<ResourceSubscription> {
    const { resources } = negotiated.capabilities;
    if (!isObject(resources) || resources.subscribe !== true) throw this.#notWatchable(uri);
    let watched = this.#watched.get(uri);
    if (watched === undefined) {
      if (this.#watched.size >= maxWatched)
        throw new HostError('rate_limited', `${this.#name}: too many of its resources are watched`);
      watched = negotiated.era === '2026' ? this.#listen(uri, deadline) : this.#subscribe(uri, deadline);
      this.#watched.set(uri, watched);
    }
    const { listeners, begun, ended, end } = watched;
    // A listener of its own, as the same function may be passed twice.
    const listener = (it: string) => onUpdate(it);
    listeners.add(listener);
    const leave = () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      if (this.#watched.get(uri) === watched) this.#watched.delete(uri);
      end();
    };
    try {
      await begun;
    } catch (error) {
      leave();
      throw toHostError(error, this.#name);
    }
    return { ended, end: leave };
  }

  /** An update of a resource, or of a part of one that is watched. */
  receiveUpdate({ uri }: JsonObject): void {
    if (typeof uri !== 'string' || uri.length > maxUri) return;
    for (const [watched, { listeners }] of this.#watched)
      if (uri === watched || uri.startsWith(`${watched.replace(/\/$/, '')}/`))
        for (const listener of [...listeners]) listener(uri);
  }

  /** The answer of a 2026 server to a new subscription. */
  receiveAgreement({ notifications, _meta: meta }: JsonObject): void {
    const id = isObject(meta) ? meta[subscriptionIdKey] : undefined;
    const granted = isObject(notifications) ? notifications.resourceSubscriptions : undefined;
    this.#agreeing.get(Number(id))?.(Array.isArray(granted) && granted.length > 0);
  }

  #subscribe(uri: string, { timeoutMs, signal }: Deadline): Watched {
    const request = { params: { uri }, name: this.#name };
    const begun = this.#peer.request({ ...request, method: 'resources/subscribe', timeoutMs, signal });
    const end = () => {
      const deadline = { timeoutMs, signal: neverCanceled };
      // The server may be gone, which ends a subscription too.
      this.#peer.request({ ...request, method: 'resources/unsubscribe', ...deadline }).catch(() => {});
    };
    return { listeners: new Set(), begun: begun.then(() => {}), ended: new Promise(() => {}), end };
  }

  /** In the 2026 era a subscription is a request that stays open. */
  #listen(uri: string, { timeoutMs, signal }: Deadline): Watched {
    const stop = new Cancellation();
    let agree: (granted: boolean) => void = () => {};
    const agreed = new Promise<boolean>((resolve) => {
      agree = resolve;
    });
    let id = 0;
    const answer = this.#peer.request({
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: [uri] } },
      name: this.#name,
      timeoutMs: forever,
      signal: stop,
      onSent: (sent) => {
        id = sent;
        this.#agreeing.set(sent, agree);
      },
    });
    const giveUp = () => stop.abort();
    const timer = setTimeout(giveUp, timeoutMs);
    signal.addEventListener('abort', giveUp, { once: true });
    const begun = Promise.race([agreed, answer.then(() => false)])
      .then((granted) => {
        if (!granted) throw this.#notWatchable(uri);
      })
      .finally(() => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#agreeing.delete(id);
      });
    const done = () => {};
    return { listeners: new Set(), begun, ended: answer.then(done, done), end: giveUp };
  }

  #notWatchable(uri: string): HostError {
    return new HostError('not_supported', `${this.#name} does not report changes of ${uri.slice(0, 200)}`);
  }
}
