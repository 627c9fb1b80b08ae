import { HostError } from '../../model/host-error.js';
import { showsPackage, showsTool } from '../../policy/sets/set-scope.js';
import type { PackageReport } from '../host.js';
import type { SetInForce, ToolSets } from '../operator/tool-sets.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { SessionSetup } from '../session-setup.js';

/** The set of one session: which of its packages and tools it shows. Looked up again after every change of a set. */
export class SessionSet {
  readonly #sets: ToolSets;
  readonly #setup: SessionSetup;
  #version = -1;
  #inForce: SetInForce | null = null;

  constructor(setup: SessionSetup, sets: ToolSets) {
    this.#setup = setup;
    this.#sets = sets;
  }

  /** Whether a set or a binding changed since the last look. */
  get isOutdated(): boolean {
    return this.#version !== this.#sets.version;
  }

  /** The set that is in force now. Null: everything is shown. */
  lookUp(): SetInForce | null {
    const { setRequest } = this.#setup;
    return setRequest === null ? null : this.#sets.inForce(setRequest);
  }

  /** Uses the set that is in force now. */
  refresh(): SetInForce | null {
    this.#version = this.#sets.version;
    this.#inForce = this.lookUp();
    return this.#inForce;
  }

  /** Throws if the set of the session is missing or damaged: nothing is shown then. */
  assertUsable(): void {
    if (this.#inForce === null || this.#inForce.set !== null) return;
    const { name } = this.#inForce;
    throw new HostError('unavailable', `the set ${name} of this session is missing or cannot be read`, {
      hint: `an operator can save it again, or bind another one: toolwharf set save ${name}`,
    });
  }

  shown(packages: readonly CheckedPackage[]): readonly CheckedPackage[] {
    const inForce = this.#inForce;
    if (inForce === null) return packages;
    const { set } = inForce;
    if (set === null) return [];
    return packages.filter(({ loaded: { catalog } }) =>
      catalog === undefined
        ? set.packages === undefined && set.only === undefined
        : showsPackage(set, catalog.package.id),
    );
  }

  /** Whether a caller must not learn that a tool exists. `name`: as `PACKAGE/TOOL`, or without the package. */
  hides({ loaded: { catalog } }: CheckedPackage, name: string): boolean {
    const id = catalog?.package.id;
    const full = name.startsWith(`${id}/`) ? name : `${id}/${name}`;
    return this.#inForce !== null && (this.#inForce.set === null || !showsTool(this.#inForce.set, full));
  }

  /** The report of the shown packages, without hidden tools in their manifests. */
  limit(report: PackageReport): PackageReport {
    if (this.#inForce === null) return report;
    const { name, source, digest, set } = this.#inForce;
    const packages = report.packages
      .filter(
        (it) => it.id !== null || (set !== null && set.packages === undefined && set.only === undefined),
      )
      .map((it) => {
        if (it.package === undefined) return it;
        const isShown = (tool: string) => set !== null && showsTool(set, `${it.id}/${tool}`);
        return {
          ...it,
          package: { ...it.package, tools: it.package.tools.filter((tool) => isShown(tool.name)) },
        };
      });
    return { ...report, packages, set: { name, source, digest, readable: set !== null } };
  }
}
