import type { JsonObject } from '../../model/json.js';

/** Of each kind in the audit entry of one call. */
const maxListed = 50;

/** What a call used, for its audit entry. An absent member is unknown; an empty list means that nothing was used. */
export class CallUses {
  #hosts: Set<string> | undefined;
  #folders: Set<string> | undefined;
  readonly #requests = new Map<string, number>();

  /** `host:port` each. */
  addHosts(hosts: readonly string[]): void {
    this.#hosts = new Set([...(this.#hosts ?? []), ...hosts]);
  }

  /** Folders of the workspace in which something changed. */
  addFolders(folders: readonly string[]): void {
    this.#folders = new Set([...(this.#folders ?? []), ...folders]);
  }

  /** A request that the client of the call got. */
  addRequest(method: string): void {
    this.#requests.set(method, (this.#requests.get(method) ?? 0) + 1);
  }

  entry(): JsonObject {
    return {
      ...(this.#hosts === undefined ? {} : { hosts: [...this.#hosts].slice(0, maxListed) }),
      // More than these were contacted, so the list says too little.
      ...((this.#hosts?.size ?? 0) > maxListed ? { moreHosts: true } : {}),
      ...(this.#requests.size === 0 ? {} : { asked: Object.fromEntries(this.#requests) }),
      ...(this.#folders === undefined ? {} : { changed: [...this.#folders].slice(0, maxListed) }),
    };
  }
}
