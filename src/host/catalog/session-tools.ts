import type { CheckValue } from '../../policy/sets/fixed-schema.js';
import { valueChecker } from '../operator/set-check.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { SessionSetup } from '../session-setup.js';
import type { SessionServices } from './session-services.js';
import { SessionSet } from './session-set.js';
import { createSessionTools, type SessionTool, type SessionToolServices } from './session-tool.js';
import { ToolIndex, toolForTool } from './tool-lookup.js';
import { hasFixedArguments } from './tool-view.js';

/** The tools of a session, and which of them its set shows. */
export class SessionTools {
  readonly set: SessionSet;
  readonly #setup: SessionSetup;
  readonly #services: SessionServices;
  /** All tools, and those that callers may see. */
  all: readonly SessionTool[] = [];
  shown: readonly SessionTool[] = [];
  #index = new ToolIndex([]);
  /** Versions of the announcements and of the settings in force from which the list was made. */
  #announcementVersion = -1;
  #setupVersion = -1;
  #check: CheckValue | undefined;

  constructor(setup: SessionSetup, services: SessionServices) {
    this.set = new SessionSet(setup, services.sets);
    this.#setup = setup;
    this.#services = services;
  }

  /** By any name that callers use. `from`: the tool that calls it, which may use all tools of its own package. */
  find(name: string, from: string | undefined): SessionTool | undefined {
    const own = from === undefined ? undefined : toolForTool(this.all, name, from);
    return own ?? this.#index.find(name);
  }

  get isOutdated(): boolean {
    return (
      this.set.isOutdated ||
      this.#announcementVersion !== this.#services.upstreams.announcements.version ||
      this.#setupVersion !== this.#setup.version
    );
  }

  async list(
    packages: () => readonly CheckedPackage[],
    context: Omit<SessionToolServices, 'services' | 'setup' | 'set' | 'check'>,
  ): Promise<void> {
    // Loaded only if it is needed, because that takes longer than everything else here.
    if (hasFixedArguments(this.set.lookUp())) this.#check ??= valueChecker(await this.#services.schemas());
    // Nothing waits from here: otherwise a call in between could see tools of the set before.
    this.#announcementVersion = this.#services.upstreams.announcements.version;
    this.#setupVersion = this.#setup.version;
    this.all = createSessionTools(packages(), {
      ...context,
      services: this.#services,
      setup: this.#setup,
      set: this.set.refresh(),
      check: this.#check ?? (() => []),
    });
    this.shown = this.all.filter((it) => !it.view.hidden);
    this.#index = new ToolIndex(this.shown);
  }
}
