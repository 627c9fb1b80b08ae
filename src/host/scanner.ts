import { createHash } from 'node:crypto';
import { cleanText } from '../model/clean-text.js';
import { HostError } from '../model/host-error.js';
import type { Json } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { SlotValues } from '../model/slot.js';
import { KnownValues } from '../policy/scan/known.js';
import { type Leaves, leavesOf, withLeaves } from '../policy/scan/leaves.js';
import type { Look } from '../policy/scan/look.js';
import { type Finding, type Hiding, redactNow, redactSteps } from '../policy/scan/redact.js';
import type { KeptValue, Vault } from '../secrets/vault.js';
import { sizeOf } from './shape.js';

/** What is looked at, before it is passed on. */
export interface CallScan {
  /** Without secrets and without what cannot be seen. Big values are looked at in turns with other work. */
  clean(value: Json): Promise<Cleaned>;
  /** The same, at once, for short words. */
  cleanWords(text: string): string;
  /** Without secrets, and else as it is: what cannot be seen stays. */
  withoutSecrets(value: Json): Promise<Json>;
  /** What of arguments is a secret, with those of the package itself left out. Nothing is guessed. */
  foreign(value: Json): Promise<readonly Finding[]>;
  /** What of something that is asked for is a secret, whoever's. Nothing is guessed. */
  secretsIn(value: Json): Promise<readonly Finding[]>;
}

export interface Cleaned {
  readonly value: Json;
  readonly findings: readonly Finding[];
  /** Characters were taken out that nobody sees. */
  readonly stripped: boolean;
}

/** Whether a value of another package is known to be no secret. */
export type IsPublic = (packageId: string, slot: string) => boolean;

/** What a session knows of what is looked for. */
export interface ScanSetting {
  readonly isPublic: IsPublic;
  /** Take out what only stands where a secret would, too. */
  readonly guesses: boolean;
}

/** Others' short values would tear holes into what everybody says. */
const shortestForeign = 8;
/** Levels of an answer, and a few for what stands around it. */
const maxDepth = 210;
/** Milliseconds of work before others have their turn. */
const patience = 10;

interface Kept {
  readonly generation: number;
  readonly entries: readonly KeptValue[];
  readonly values: KnownValues;
}

/** Knows every value that the vault holds, whoever it belongs to. */
export class Scanner {
  readonly #vault: Vault;
  #kept: Promise<Kept> | undefined;
  #generation = -1;
  readonly #passed = new Map<string, KnownValues>();
  /** The last one of each tool that brings no values of its own, while the vault stays as it is. */
  readonly #made = new WeakMap<
    ScanSetting,
    { readonly kept: Kept; readonly of: Package; readonly scan: CallScan }
  >();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  async forCall(of: Package, slots: SlotValues, setting: ScanSetting): Promise<CallScan> {
    const kept = await this.#current();
    if (slots.size > 0) return this.#scan(kept, of, slots, setting);
    const made = this.#made.get(setting);
    if (made?.kept === kept && made.of === of) return made.scan;
    const scan = this.#scan(kept, of, slots, setting);
    this.#made.set(setting, { kept, of, scan });
    return scan;
  }

  #scan(
    { entries, values }: Kept,
    of: Package,
    slots: SlotValues,
    { isPublic, guesses }: ScanSetting,
  ): CallScan {
    const own = (packageId: string) => packageId === of.id;
    const nameOf = (secret: number): string | undefined => {
      const { package: packageId, slot, value } = entries[secret] as KeptValue;
      if (own(packageId)) return of.slots.find((it) => it.name === slot)?.secret === false ? undefined : slot;
      return value.length < shortestForeign || isPublic(packageId, slot) ? undefined : `${packageId}/${slot}`;
    };
    const hiding: Hiding[] = [{ values, nameOf }, this.#passedIn(of, slots, entries)];
    const foreign: Hiding = {
      values,
      nameOf: (secret) => (own((entries[secret] as KeptValue).package) ? undefined : nameOf(secret)),
    };
    const look: Look = { guesses, samples: false, sha256 };
    const outward: Look = { guesses: false, samples: true, sha256 };
    return {
      async clean(value) {
        const leaves = shallowLeaves(value);
        const shown = cleaned(value, leaves);
        const isSame = shown === value;
        const steps = redactSteps(shown, hiding, look, isSame ? leaves : leavesOf(shown));
        return { ...(await inTurns(steps)), stripped: !isSame };
      },
      cleanWords: (text) => redactNow(cleanText(text), hiding, look).value as string,
      withoutSecrets: async (value) =>
        (await inTurns(redactSteps(value, hiding, { ...outward, guesses: true }))).value,
      foreign: async (value) => (await inTurns(redactSteps(value, [foreign], outward))).findings,
      async secretsIn(value) {
        const shown = cleaned(value, shallowLeaves(value));
        return (await inTurns(redactSteps(shown, hiding, outward))).findings;
      },
    };
  }

  /** Opened anew after a change only. */
  #current(): Promise<Kept> {
    const generation = this.#vault.generation();
    if (this.#kept === undefined || generation !== this.#generation) {
      this.#generation = generation;
      this.#kept = this.#vault.all().then((entries) => ({
        generation,
        entries,
        values: new KnownValues(entries.map((it) => it.value)),
      }));
    }
    return this.#kept;
  }

  /** Values that came from the operator's environment and not from the vault. */
  #passedIn(of: Package, slots: SlotValues, entries: readonly KeptValue[]): Hiding {
    const names: string[] = [];
    const texts: string[] = [];
    for (const [name, { secret, value }] of slots) {
      if (!secret) continue;
      if (entries.some((it) => it.package === of.id && it.slot === name && it.value === value)) continue;
      names.push(name);
      texts.push(value);
    }
    const key = JSON.stringify([of.id, texts]);
    let values = this.#passed.get(key);
    if (values === undefined) {
      values = new KnownValues(texts);
      if (this.#passed.size >= 64) this.#passed.clear();
      this.#passed.set(key, values);
    }
    return { values, nameOf: (secret) => names[secret] };
  }
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}

/** Whoever said it is a stranger; what is nested without end would be looked at without end. */
function shallowLeaves(value: Json): Leaves {
  if (sizeOf(value, maxDepth) === null)
    throw new HostError('tool_bad_output', 'what came back is nested more than 200 levels deep');
  return leavesOf(value);
}

function cleaned(value: Json, { all }: Leaves): Json {
  let changed = false;
  const texts = all.map(({ text, kind, media }) => {
    if (media || kind === 'number') return undefined;
    const clean = cleanText(text);
    if (clean === text) return undefined;
    changed = true;
    return clean;
  });
  return changed ? withLeaves(value, texts) : value;
}

/** Other calls go on meanwhile. */
async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - began < patience) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  }
}
