import type { ChangeProgress, ChangeStep, ChangeStepName } from '../../model/change.js';
import { HostError } from '../../model/host-error.js';

/** The steps of one change, in order. A failed step ends it with an error that names the step. */
export class ChangeSteps {
  readonly #done: ChangeStep[] = [];
  readonly #package: string;
  readonly #onProgress: (progress: ChangeProgress) => void;

  constructor(packageId: string, onProgress: ((progress: ChangeProgress) => void) | undefined) {
    this.#package = packageId;
    this.#onProgress = onProgress ?? (() => {});
  }

  get list(): readonly ChangeStep[] {
    return this.#done;
  }

  /** Records a step that needed no work. */
  record(step: ChangeStep): void {
    this.#done.push(step);
  }

  progress(progress: ChangeProgress): void {
    this.#onProgress(progress);
  }

  /** `work` may return the step as it should be reported. Default: `done`. */
  async run<T>(
    name: ChangeStepName,
    detail: string,
    work: () => Promise<T>,
    report: (result: T) => Omit<ChangeStep, 'name'> = () => ({ status: 'done' }),
  ): Promise<T> {
    this.#onProgress({ step: name, detail });
    try {
      const result = await work();
      this.#done.push({ name, ...report(result) });
      return result;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const hint = error.hint === undefined ? {} : { hint: error.hint };
      throw new HostError(
        error.code,
        `${this.#package} was not changed, because the step "${name}" failed: ${error.message}`,
        { cause: error, ...hint },
      );
    }
  }
}
