import type { AgreementRows } from '../../store/agreements.js';
import { isAccepted } from '../packages/agreements.js';
import type { CheckedPackage } from '../packages/checked-package.js';

/** Agreements that were stored after a session checked its packages, perhaps by another session. */
export class NewAgreements {
  readonly #rows: AgreementRows;
  #seen = -1;

  constructor(rows: AgreementRows) {
    this.#rows = rows;
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
