import { HostError } from '../../model/host-error.js';
import type { StaticPage } from '../../model/static-page.js';
import type { PackageInstructions } from '../host.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import { staticPage } from '../packages/static-page.js';
import type { SessionSetup } from '../session-setup.js';
import type { PackageUpstreams } from '../upstream/package-upstreams.js';
import type { ReadableContent } from '../upstream/readable-content.js';
import {
  resourceReading,
  type UpstreamResource,
  upstreamPrompts,
  upstreamResources,
} from '../upstream/upstream-content.js';
import { upstreamInstructions } from '../upstream/upstream-instructions.js';
import { type OfferedPrompt, offeredPrompts } from './prompts.js';
import type { SessionProfileInputs } from './session-profile-inputs.js';
import type { SessionServices } from './session-services.js';
import type { SessionTools } from './session-tools.js';
import { textStores } from './stored-text.js';

interface ContentParts {
  readonly services: SessionServices;
  readonly setup: SessionSetup;
  readonly tools: SessionTools;
  readonly upstreams: PackageUpstreams;
  readonly profileInputs: SessionProfileInputs;
  /** The packages that can be used now. */
  readonly ready: () => Promise<readonly CheckedPackage[]>;
}

/** What packages offer besides tools: prompts, resources and instructions. */
export class SessionContent {
  readonly #parts: ContentParts;

  constructor(parts: ContentParts) {
    this.#parts = parts;
  }

  async prompts(): Promise<readonly OfferedPrompt[]> {
    const { services, setup, tools, upstreams, profileInputs } = this.#parts;
    const ready = await this.#parts.ready();
    const ofUpstreams = upstreamPrompts(ready, upstreams);
    const storeOf = textStores(services, setup, (id) => profileInputs.of(id));
    return offeredPrompts(ready, tools.shown, services.sandboxing.stage, ofUpstreams, upstreams, storeOf);
  }

  async resources(): Promise<readonly UpstreamResource[]> {
    return upstreamResources(await this.#parts.ready(), this.#parts.upstreams);
  }

  async instructions(): Promise<readonly PackageInstructions[]> {
    return upstreamInstructions(await this.#parts.ready(), this.#parts.upstreams);
  }

  /** The static page of a package, from the copy that calls use too. Throws `unavailable` until the package is ready. */
  async page(id: string): Promise<StaticPage> {
    const found = (await this.#parts.ready()).find((it) => it.loaded.catalog?.package.id === id);
    const pkg = found?.loaded.catalog?.package;
    if (found === undefined || pkg === undefined)
      throw new HostError('unavailable', `the page of ${id} is not shown: the package is not ready`, {
        hint: 'its page in the console says why',
      });
    return staticPage(pkg, await this.#parts.services.sandboxing.stage.folderFor(found.loaded));
  }

  /** Undefined if no upstream has the resource. */
  async resource(uri: string): Promise<ReadableContent | undefined> {
    return resourceReading(uri, await this.#parts.ready(), this.#parts.upstreams);
  }
}
