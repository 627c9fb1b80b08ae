import type { AgreementRows } from '../../store/agreements.js';
import { isAccepted } from '../packages/agreements.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { InstallationIndex } from '../packages/installation-index.js';

/** Agreements and installations that were stored after a session checked its packages, perhaps by another session. */
export class NewAgreements {
  readonly #rows: AgreementRows;
  readonly #installations: Pick<InstallationIndex, 'version'>;
  #seen = -1;
  #installed: number;

  /** Made before the packages are loaded: a change meanwhile leads to a reload. */
  constructor(rows: AgreementRows, installations: Pick<InstallationIndex, 'version'>) {
    this.#rows = rows;
    this.#installations = installations;
    this.#installed = installations.version;
  }

  /** Whether packages were installed, updated or removed since this was asked the last time. */
  takeInstalled(): boolean {
    const { version } = this.#installations;
    const hasChanged = version !== this.#installed;
    this.#installed = version;
    return hasChanged;
  }

  /** Of the stored agreements; grows with every change. */
  get version(): number {
    return this.#rows.version;
  }

  get exist(): boolean {
    return this.#seen !== this.version;
  }

  markSeen(version: number): void {
    this.#seen = version;
  }

  /** Whether one of these packages needed review and was accepted meanwhile, exactly as it is. */
  async concern(packages: readonly CheckedPackage[]): Promise<boolean> {
    if (!this.exist) return false;
    const { version } = this;
    for (const { loaded, underReview } of packages)
      if (underReview !== undefined && (await isAccepted(loaded, this.#rows))) return true;
    this.markSeen(version);
    return false;
  }
}
