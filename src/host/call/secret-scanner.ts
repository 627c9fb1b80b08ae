import { inflate } from '../../files/inflate.js';
import { sha256Bytes } from '../../files/sha256.js';
import { cleanText } from '../../model/clean-text.js';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { answerLimits, maxAnswerDepth } from '../../model/json-bounds.js';
import type { Package } from '../../model/package.js';
import { outputRoots } from '../../model/scan-exemption.js';
import type { SlotValues } from '../../model/slot.js';
import { sizeOf } from '../../policy/input-shape.js';
import { collectTexts, type JsonTexts, replaceTexts } from '../../policy/scan/json-texts.js';
import { KnownValues } from '../../policy/scan/known-values.js';
import { type Finding, type HiddenValues, redactNow, redactSteps } from '../../policy/scan/redact-secrets.js';
import type { ScanOptions } from '../../policy/scan/scan-options.js';
import { scannedValues } from '../../secrets/sign-in-record.js';
import type { TokenBroker } from '../../secrets/token-broker.js';
import type { Vault, VaultValue } from '../../secrets/vault.js';

/** The values of packages, and the scanner that looks for them. */
export interface SecretServices {
  readonly vault: Vault;
  readonly scanner: SecretScanner;
  readonly broker: TokenBroker;
  /** Key for keyed digests of credentials: they show a change, and nothing about the values. */
  readonly credentialKey: () => Promise<Uint8Array>;
}

/** Looks for secrets in the input and output of one package's calls. */
export interface CallScan {
  /** Removes secrets and invisible characters. Large values are scanned in slices, so that other calls go on. */
  clean(value: Json): Promise<Cleaned>;
  /** The same for everything that a run outputs, in the order of `outputRoots`. Exemptions of the operator apply. */
  cleanOutput(output: readonly Json[]): Promise<Cleaned>;
  /** What would be removed from an output, and where. Exemptions do not apply. */
  findingsIn(output: readonly Json[]): Promise<readonly Finding[]>;
  /** The same for a short text, synchronously. */
  cleanShortText(text: string): string;
  /** Removes secrets only; invisible characters stay. */
  withoutSecrets(value: Json): Promise<Json>;
  /** Secrets in a value, except the package's own. Makes no guesses. */
  foreignSecrets(value: Json): Promise<readonly Finding[]>;
  /** Secrets in a value, including the package's own. Makes no guesses. */
  secretsIn(value: Json): Promise<readonly Finding[]>;
}

export interface Cleaned {
  readonly value: Json;
  readonly findings: readonly Finding[];
  /** Whether invisible characters were removed. */
  readonly stripped: boolean;
}

/** Whether a slot of another package is a setting and not a secret. */
export type IsPublicSetting = (packageId: string, slot: string) => boolean;

/** How a session scans; compared by identity for caching. */
export interface CallScanOptions {
  readonly isPublic: IsPublicSetting;
  /** Also remove text that only its surroundings mark as a secret. */
  readonly guesses: boolean;
  /** Whether the operator keeps what a rule finds at a path of an output. */
  readonly isExempt?: ((path: string, rule: string) => boolean) | undefined;
}

/** Characters. Removing shorter values of other packages would damage ordinary text. */
const minForeignLength = 8;
/** Scanning yields to other work after this many milliseconds. */
const sliceMs = 10;

interface VaultSnapshot {
  readonly entries: readonly VaultValue[];
  readonly values: KnownValues;
  /** Keys of the entries that are settings according to every agreement with their package. */
  readonly settings: ReadonlySet<string>;
}

/** What the operator agreed to, of all packages, also of those that a session does not have. */
export interface AgreedSettings {
  /** Grows with every change. */
  version(): number;
  /** The slots of a package that are settings, not secrets, in every agreement. Empty without an agreement. */
  settingsOf(packageId: string): Promise<readonly string[]>;
}

/** Scans for every value in the vault, of all packages. */
export class SecretScanner {
  readonly #vault: Vault;
  readonly #agreed: AgreedSettings;
  #snapshot: Promise<VaultSnapshot> | undefined;
  #generation = '';
  readonly #environmentCache = new Map<string, KnownValues>();
  /** The last scan per options object, for packages without slot values. Valid while the vault does not change. */
  readonly #cached = new WeakMap<
    CallScanOptions,
    { readonly snapshot: VaultSnapshot; readonly package: Package; readonly scan: CallScan }
  >();

  constructor(vault: Vault, agreed: AgreedSettings) {
    this.#vault = vault;
    this.#agreed = agreed;
  }

  async forCall(pkg: Package, slots: SlotValues, options: CallScanOptions): Promise<CallScan> {
    const snapshot = await this.#current();
    if (slots.size > 0) return this.#createScan(snapshot, pkg, slots, options);
    const cached = this.#cached.get(options);
    if (cached?.snapshot === snapshot && cached.package === pkg) return cached.scan;
    const scan = this.#createScan(snapshot, pkg, slots, options);
    this.#cached.set(options, { snapshot, package: pkg, scan });
    return scan;
  }

  #createScan(
    { entries, values, settings }: VaultSnapshot,
    pkg: Package,
    slots: SlotValues,
    { isPublic, guesses, isExempt }: CallScanOptions,
  ): CallScan {
    const isOwn = (packageId: string) => packageId === pkg.id;
    const nameOf = (secret: number): string | undefined => {
      const { package: packageId, slot, value } = entries[secret] as VaultValue;
      if (isOwn(packageId))
        return pkg.slots.find((it) => it.name === slot)?.secret === false ? undefined : slot;
      const isSetting = isPublic(packageId, slot) || settings.has(keyOf(packageId, slot));
      return value.length < minForeignLength || isSetting ? undefined : `${packageId}/${slot}`;
    };
    const hidden: HiddenValues[] = [{ values, nameOf }, this.#environmentValues(pkg, slots, entries)];
    const foreign: HiddenValues = {
      values,
      nameOf: (secret) => (isOwn((entries[secret] as VaultValue).package) ? undefined : nameOf(secret)),
    };
    const outputScan: ScanOptions = { guesses, reportSamples: false, sha256: sha256Bytes, inflate };
    const inputScan: ScanOptions = { guesses: false, reportSamples: true, sha256: sha256Bytes, inflate };
    const located: ScanOptions = { ...outputScan, roots: outputRoots };
    const exempting: ScanOptions = isExempt === undefined ? located : { ...located, isExempt };
    const cleanWith = async (value: Json, options: ScanOptions) => {
      const leaves = boundedTexts(value);
      const visible = withoutInvisible(value, leaves);
      const isSame = visible === value;
      const steps = redactSteps(visible, hidden, options, isSame ? leaves : collectTexts(visible));
      const redacted = await runInSlices(steps);
      return { value: redacted.value, findings: redacted.findings, stripped: !isSame };
    };
    return {
      clean: (value) => cleanWith(value, outputScan),
      cleanOutput: (output) => cleanWith(output, exempting),
      findingsIn: async (output) => (await cleanWith(output, located)).findings,
      cleanShortText: (text) => redactNow(cleanText(text), hidden, outputScan).value as string,
      withoutSecrets: async (value) =>
        (await runInSlices(redactSteps(value, hidden, { ...inputScan, guesses: true }))).value,
      foreignSecrets: async (value) => (await runInSlices(redactSteps(value, [foreign], inputScan))).findings,
      async secretsIn(value) {
        const visible = withoutInvisible(value, boundedTexts(value));
        return (await runInSlices(redactSteps(visible, hidden, inputScan))).findings;
      },
    };
  }

  /** Reads the vault again only after a change. */
  #current(): Promise<VaultSnapshot> {
    const generation = `${this.#vault.generation()} ${this.#agreed.version()}`;
    if (this.#snapshot === undefined || generation !== this.#generation) {
      this.#generation = generation;
      this.#snapshot = this.#read();
    }
    return this.#snapshot;
  }

  async #read(): Promise<VaultSnapshot> {
    const entries = (await this.#vault.all()).flatMap(scannedValues);
    const settings = new Set<string>();
    for (const id of new Set(entries.map((it) => it.package)))
      for (const slot of await this.#agreed.settingsOf(id)) settings.add(keyOf(id, slot));
    return { entries, values: new KnownValues(entries.map((it) => it.value)), settings };
  }

  /** Secret slot values that came from the operator's environment and not from the vault. */
  #environmentValues(pkg: Package, slots: SlotValues, entries: readonly VaultValue[]): HiddenValues {
    const names: string[] = [];
    const texts: string[] = [];
    for (const [name, { secret, value }] of slots) {
      if (!secret) continue;
      if (entries.some((it) => it.package === pkg.id && it.slot === name && it.value === value)) continue;
      names.push(name);
      texts.push(value);
    }
    const key = JSON.stringify([pkg.id, texts]);
    let values = this.#environmentCache.get(key);
    if (values === undefined) {
      values = new KnownValues(texts);
      if (this.#environmentCache.size >= 64) this.#environmentCache.clear();
      this.#environmentCache.set(key, values);
    }
    return { values, nameOf: (secret) => names[secret] };
  }
}

function keyOf(packageId: string, slot: string): string {
  return JSON.stringify([packageId, slot]);
}

/** The value is untrusted: scanning one with unlimited nesting would not end. */
function boundedTexts(value: Json): JsonTexts {
  if (sizeOf(value, answerLimits.depth) === null)
    throw new HostError('tool_bad_output', `the answer is nested more than ${maxAnswerDepth} levels deep`);
  return collectTexts(value);
}

function withoutInvisible(value: Json, { all }: JsonTexts): Json {
  let changed = false;
  const texts = all.map(({ text, kind, media }) => {
    if (media || kind === 'number') return undefined;
    const clean = cleanText(text);
    if (clean === text) return undefined;
    changed = true;
    return clean;
  });
  return changed ? replaceTexts(value, texts) : value;
}

/** Yields to other calls between slices. */
async function runInSlices<T>(steps: Generator<void, T>): Promise<T> {
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - began < sliceMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  }
}
