import { HostError } from '../../model/host-error.js';
import type { AgentRequest, RequestedInstallation } from '../../model/requested-installation.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { RequestedInstallations } from '../../store/requested-installations.js';
import type { Queue } from '../queue.js';
import { checkAgentRequest } from './agent-request.js';
import type { InstallRequests } from './install-requests.js';
import type { NoticeTarget } from './notice-target.js';
import type { Actor } from './operator-auth.js';
import { actorName } from './pin-auth.js';

/** Who asks. */
export interface AskingSession {
  readonly principal: string;
  readonly client: string;
  /** Relative paths start here. */
  readonly root: string;
  /** Where the session has seen the source. Null: nowhere. */
  readonly seenIn: string | null;
  /** Where a notice is sent. */
  readonly noticeTargets: readonly NoticeTarget[];
}

export interface InstallRequestServices {
  readonly rows: RequestedInstallations;
  readonly audit: AuditLog;
  readonly queue: Queue;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  /** Throws if the operator stopped the principal. */
  readonly assertNotKilled: (principal: string) => void;
  /** Whether a package is installed and served. */
  readonly isInstalled: (packageId: string) => Promise<boolean>;
  /** Tells people about a new request. */
  readonly announce: (request: RequestedInstallation, targets: readonly NoticeTarget[]) => void;
}

const dayMs = 86_400_000;
/** A request waits this long. A refused source is not asked for again before that time either. */
const waitMs = dayMs;
/** Waiting requests of one principal, and of all. */
const maxWaiting = 5;
const maxWaitingOfAll = 100;
/** Requests of one principal in a day. */
const maxPerDay = 20;
const maxNote = 1000;

/** The requests of agents for packages. Asking stores text; only a person can do more with it. */
export class InstallRequestQueue {
  readonly #services: InstallRequestServices;

  constructor(services: InstallRequestServices) {
    this.#services = services;
  }

  get operations(): InstallRequests {
    const { rows } = this.#services;
    return {
      list: (states = ['waiting']) => rows.list(states),
      refuse: (id, note, actor) => this.#refuse(id, note ?? '', actor),
    };
  }

  /** Stores a request, or returns the last one of the same principal for the same source. */
  ask(asked: AgentRequest, session: AskingSession): Promise<RequestedInstallation> {
    this.#services.assertNotKilled(session.principal);
    const checked = checkAgentRequest(asked, session.root);
    // One after the other, so that requests at the same time cannot exceed the limits.
    return this.#services.queue(() => this.#ask(checked, session));
  }

  /** A request that waits. Throws if there is none with this id. */
  async waiting(id: string): Promise<RequestedInstallation> {
    const found = await this.#find(id);
    if (found.state === 'waiting') return found;
    throw new HostError('not_found', `the request ${found.id} is already ${found.state}`, {
      hint: 'see "toolwharf requests list"',
    });
  }

  /** Records that the package of a request was installed. */
  async finish(
    id: string,
    by: string,
    installed: RequestedInstallation['installed'] & object,
  ): Promise<void> {
    const { audit, rows } = this.#services;
    if (!(await rows.finish(id, by, installed))) return;
    const body = { operation: 'install request installed', request: id, ...installed, by };
    await audit.append({ kind: 'operator', body });
  }

  async #ask(
    { source, reason }: AgentRequest,
    { principal, client, root, seenIn, noticeTargets }: AskingSession,
  ): Promise<RequestedInstallation> {
    const { rows, audit, now, newId, announce } = this.#services;
    const known = await rows.newest(principal, source);
    if (known !== undefined && (await this.#isAnswer(known))) return known;
    const { waiting, waitingOfAll, recent } = await rows.counts(principal, now() - dayMs);
    if (waiting >= maxWaiting || waitingOfAll >= maxWaitingOfAll || recent >= maxPerDay)
      throw new HostError(
        'rate_limited',
        recent >= maxPerDay
          ? `${maxPerDay} requests were made within a day`
          : 'too many requests wait for a person already',
        { hint: 'wait until a person has decided' },
      );
    const createdAt = now();
    const request: RequestedInstallation = {
      ...{ id: newId('req'), source, reason, seenIn, principal, client, root, createdAt },
      ...{ expiresAt: createdAt + waitMs, state: 'waiting', decision: null, installed: null },
    };
    await audit.append({
      kind: 'operator',
      body: { operation: 'install request', request: request.id, source, by: principal },
    });
    await rows.add(request);
    announce(request, noticeTargets);
    return request;
  }

  /** Whether an earlier request answers the question, so that no new one is made. */
  async #isAnswer({ state, decision, installed }: RequestedInstallation): Promise<boolean> {
    switch (state) {
      case 'waiting':
        return true;
      case 'installed':
        return installed !== null && (await this.#services.isInstalled(installed.package));
      case 'refused':
        return decision !== null && decision.at + waitMs > this.#services.now();
      case 'expired':
        return false;
    }
  }

  /** Refusing cannot widen anything, so it never needs the PIN. */
  async #refuse(id: string, note: string, actor: Actor): Promise<RequestedInstallation> {
    if (note.length > maxNote) throw new HostError('usage', `a note has at most ${maxNote} characters`);
    const { rows, audit } = this.#services;
    const { source } = await this.waiting(id);
    const by = actorName(actor);
    await audit.append({
      kind: 'operator',
      body: { operation: 'install request refused', request: id, source, by },
    });
    await rows.refuse(id, by, note);
    return this.#find(id);
  }

  async #find(id: string): Promise<RequestedInstallation> {
    const found = await this.#services.rows.get(id);
    if (found !== undefined) return found;
    throw new HostError('not_found', `no install request with the id ${id}`, {
      hint: 'list them: toolwharf requests list',
    });
  }
}
