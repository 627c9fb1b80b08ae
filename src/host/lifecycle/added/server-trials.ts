import { neverCanceled } from '../../../model/cancel-signal.js';
import type { JournalEntry } from '../../../store/change-journal.js';
import type { SessionSetup } from '../../session-setup.js';
import { prepareCandidate } from '../candidate.js';
import { ChangeSteps } from '../change-steps.js';
import { makeEnvironment } from '../install-environment.js';
import type { LifecycleServices, LifecycleSession } from '../lifecycle-services.js';
import { settleChanges } from '../recovery.js';
import { requestedSource } from '../requested-source.js';
import { undoChange } from '../undo.js';
import { isOfferedHost } from './offered-host.js';
import { draftServer } from './server-draft.js';
import type { ServerTrial, ServerTrialRequest } from './server-request.js';

/**
 * Starts servers once before somebody agrees to install them. What a start needs is fetched, and stays in the journal: an
 * installation takes it over, and the end of the host undoes it.
 */
export class ServerTrials {
  readonly #services: LifecycleServices;
  /** By package. */
  readonly #open = new Map<string, { readonly journal: string; readonly session: LifecycleSession }>();

  #wasUsed = false;

  constructor(services: LifecycleServices) {
    this.#services = services;
  }

  async start(request: ServerTrialRequest, session: LifecycleSession): Promise<ServerTrial> {
    const services = this.#services;
    this.#wasUsed = true;
    const { signal = neverCanceled, by, values = {} } = request;
    const { formats } = services.readers;
    // Without what the person allowed: the trial shows what the server wants by itself.
    const draft = await draftServer({ ...request, allow: [] }, session, formats);
    const { text, source } = requestedSource(draft.source, session.setup.root, undefined, formats);
    const candidate = await prepareCandidate(
      { ...{ text, source, signal }, allow: [], granted: [] },
      session,
      services,
    );
    const { package: pkg } = candidate.catalog;
    const who = await services.operatorAuth.verify(by, `start ${pkg.id} once`);
    if (request.url !== undefined)
      return { status: 'skipped', tools: [], hosts: [], otherHosts: [], scripts: [] };
    await services.audit.append({
      kind: 'operator',
      body: { operation: 'trial', package: pkg.id, digest: candidate.catalog.digest, ...who },
    });
    this.#open.delete(pkg.id);
    await settleChanges(pkg.id, { ...services, ...session });
    const journal = services.newId('chg');
    await services.journal.begin({ id: journal, package: pkg.id, operation: 'trial' });
    const steps = new ChangeSteps(pkg.id, request.onProgress);
    try {
      const trial = await session.open({ ...candidate.place, isTrial: true }, 'use');
      try {
        await steps.run('environment', 'fetch dependencies', () =>
          makeEnvironment(pkg.id, trial, journal, { signal }, steps, session, services, undefined),
        );
        steps.progress({ step: 'smoke', detail: 'start it once, without network and folders' });
        const tried = trial.catalog.runner(pkg.id).trial;
        const started = await tried.start({ ...draft.values, ...values }, signal);
        this.#open.set(pkg.id, { journal, session });
        return {
          status: started.isStarted ? 'started' : 'failed',
          tools: started.tools,
          hosts: started.hosts.filter(isOfferedHost).map((it) => `net:${it}`),
          otherHosts: started.hosts.filter((it) => !isOfferedHost(it)),
          scripts: tried.skippedScripts(),
          ...(started.failure === undefined ? {} : { failure: started.failure }),
        };
      } finally {
        await trial.close();
      }
    } catch (error) {
      await this.#undo(journal, session);
      throw error;
    }
  }

  /** The journal entry of a trial that is still open; it belongs to the caller then. */
  async take(id: string): Promise<JournalEntry | undefined> {
    const found = this.#open.get(id);
    this.#open.delete(id);
    return found === undefined ? undefined : this.#services.journal.get(found.journal);
  }

  /** Whether a session has trials that are still open. */
  has(setup: SessionSetup): boolean {
    return [...this.#open.values()].some((it) => it.session.setup === setup);
  }

  /**
   * Removes what trials fetched for servers that nobody installed: those of one session, or all. False if there was no
   * trial.
   */
  async close(setup?: SessionSetup): Promise<boolean> {
    for (const [id, { journal, session }] of this.#open) {
      if (setup !== undefined && session.setup !== setup) continue;
      this.#open.delete(id);
      await this.#undo(journal, session);
    }
    return this.#wasUsed;
  }

  async #undo(journal: string, session: LifecycleSession): Promise<void> {
    const entry = await this.#services.journal.get(journal);
    if (entry !== undefined) await undoChange(entry, { ...this.#services, ...session });
  }
}
