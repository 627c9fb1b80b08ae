import type { ConsoleVisit, Host, Operator, Session } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import type { Json, JsonObject } from '../../../model/json.js';
import { parseExemption } from '../../../model/scan-exemption.js';

/** What a change of the configuration would write, or wrote. */
export interface ExemptionChange {
  /** The file that is changed. */
  readonly file: string;
  /** What is removed and added, one line each. */
  readonly lines: readonly string[];
}

/** Where exemptions from the scanner are written: the operator's configuration. */
export interface ExemptionFile {
  plan(setting: string): Promise<ExemptionChange>;
  write(setting: string): Promise<ExemptionChange>;
}

interface ConsoleExemptionsOptions {
  readonly host: Pick<Host, 'operator'>;
  readonly file: ExemptionFile | undefined;
  /** Who is signed in, with the PIN if it was entered. */
  readonly operatorOf: (visit: ConsoleVisit) => Operator;
  /** Opens the session of the console again, with these exemptions too. */
  readonly reopen: (exempt: readonly string[]) => Promise<Session>;
}

/**
 * Keeps one finding of the scanner, as `config set scan.exempt` and `policy accept` do: the setting is written, the operator
 * accepts it, and from then on it holds in the console. Other sessions read the file when they begin.
 */
export class ConsoleExemptions {
  readonly #options: ConsoleExemptionsOptions;
  readonly #added = new Set<string>();

  constructor(options: ConsoleExemptionsOptions) {
    this.#options = options;
  }

  /** `name`: `plan` or `write`. */
  async perform(name: string, { setting }: JsonObject, visit: ConsoleVisit): Promise<Json> {
    const { file, host, operatorOf } = this.#options;
    if (typeof setting !== 'string' || parseExemption(setting) === undefined)
      throw new HostError('usage', 'the setting is not an exemption from the scanner');
    if (file === undefined)
      throw new HostError('not_supported', 'this console cannot change the configuration', {
        hint: `add it yourself: toolwharf config set scan.exempt '${setting}'`,
      });
    if (name === 'plan') return { ...(await file.plan(setting)) };
    if (name !== 'write') throw new HostError('not_found', 'unknown operation');
    const by = operatorOf(visit);
    // First, so that nothing is written without the PIN.
    await host.operator.verify(by, 'accept a setting');
    const change = await file.write(setting);
    this.#added.add(setting);
    const session = await this.#options.reopen([...this.#added]);
    const waiver = (await session.waivers()).find(
      (it) => it.kind === 'scan-exempt' && it.content === setting && !it.verified,
    );
    if (waiver !== undefined) await session.acceptWaiver(waiver.id, by);
    return { ...change };
  }
}
