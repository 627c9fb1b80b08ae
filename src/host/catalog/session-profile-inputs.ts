import type { CheckedPackage } from '../packages/checked-package.js';
import { createProfileInputs, type ProfileInputs } from '../sandboxing/profile-inputs.js';
import type { SandboxServices } from '../sandboxing/sandbox-services.js';
import type { SessionSetup } from '../session-setup.js';

/** The inputs of sandbox profiles in one session. They are made anew for other packages and other settings in force. */
export class SessionProfileInputs {
  readonly #setup: SessionSetup;
  readonly #services: SandboxServices;
  #packages: readonly CheckedPackage[] = [];
  #byId = new Map<string, ProfileInputs>();
  #version = -1;

  constructor(setup: SessionSetup, services: SandboxServices) {
    this.#setup = setup;
    this.#services = services;
  }

  /** Replaces the packages of the session. */
  reset(packages: readonly CheckedPackage[]): void {
    this.#packages = packages;
    this.#byId = new Map();
  }

  of(id: string): ProfileInputs {
    if (this.#version !== this.#setup.version) {
      this.#byId = new Map();
      this.#version = this.#setup.version;
    }
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const inputs = createProfileInputs(id, this.#packages, this.#setup, this.#services);
    this.#byId.set(id, inputs);
    return inputs;
  }
}
