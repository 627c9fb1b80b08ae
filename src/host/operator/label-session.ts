import { randomUUID } from 'node:crypto';
import type { Json } from '../../model/json.js';
import type { Endorsement } from '../../policy/taint/endorsements.js';
import { whereSeen } from '../../policy/taint/finding.js';
import type { TaintCall } from '../../policy/taint/judge-state.js';
import { joinLabels, type TaintLabel } from '../../policy/taint/taint-label.js';
import { resultLabel, type TaintFacts, TaintSession } from '../../policy/taint/taint-session.js';
import type { TaintMode, TaintVerdict } from '../../policy/taint/taint-verdict.js';

/** Stands for a result that is not known yet: it may contain text of others. */
const anyText = 'a text of any length, which others may have written, '.repeat(10);

/** Hidden results of one session, and their characters as JSON. Older ones are dropped first. */
const maxHidden = 64;
const maxHiddenCharacters = 8 * 1024 * 1024;

/** The stored part of a session. */
export interface StoredLabels {
  readonly facts: TaintFacts;
  /** Which tool and call made it untrusted and private; null if it is not. */
  readonly untrustedBy: string | null;
  readonly privateBy: string | null;
}

/** Stores changed labels. Resolves when they are on disk. */
export type StoreLabels = (changed: StoredLabels) => Promise<void>;

/**
 * What one session has seen: its label, the values that it was shown, and what people vouched for. Labels only get
 * stricter. They are on disk before an answer leaves; the values are in memory, and unknown after a restart.
 */
export class LabelSession {
  readonly id: string;
  readonly #store: StoreLabels;
  /** False: the agent also reads what does not come through the host. */
  readonly #wholeInput: boolean;
  #taint: TaintSession;
  /** The label on disk: at least as strict as the one in memory. */
  #stored: TaintLabel;
  readonly #hidden = new Map<string, { readonly call: TaintCall; readonly value: Json }>();
  #untrustedBy: string | null;
  #privateBy: string | null;
  /** The constants in force; undefined if they have to be set again. */
  #constants: readonly string[] | undefined;
  /** The last write; a later one waits for it. */
  #written: Promise<void> = Promise.resolve();

  constructor(id: string, stored: StoredLabels | null, store: StoreLabels, wholeInput = true) {
    this.id = id;
    this.#store = store;
    this.#wholeInput = wholeInput;
    this.#taint = new TaintSession({ wholeInput, ...(stored === null ? {} : { facts: stored.facts }) });
    this.#stored = this.#taint.label;
    this.#untrustedBy = stored?.untrustedBy ?? null;
    this.#privateBy = stored?.privateBy ?? null;
  }

  get label(): TaintLabel {
    return this.#taint.label;
  }

  /** Judges a call. Changes nothing. */
  judge(call: TaintCall, mode: TaintMode): TaintVerdict {
    return this.#taint.judge(call, mode);
  }

  /** A call runs now. Resolves when the label of all that it may return is on disk: only then anything may leave. */
  started(call: TaintCall): Promise<void> {
    this.#taint.started(call);
    this.#keep(resultLabel(call.labels, anyText, this.#taint.label), call);
    return this.#written;
  }

  /** Writes a label that is stricter than the one on disk. */
  #keep(wanted: TaintLabel, call: TaintCall): void {
    const label = joinLabels(this.#stored, wanted);
    if (label.integrity === this.#stored.integrity && label.secrecy === this.#stored.secrecy) return;
    const by = `${call.package}/${call.tool}, call ${this.#taint.facts().calls}`;
    if (label.integrity === 'untrusted') this.#untrustedBy ??= by;
    if (label.secrecy !== 'public') this.#privateBy ??= by;
    this.#stored = label;
    this.#write();
  }

  /** Something of a started call leaves in clear: its result, error, progress, log message or question. */
  returned(call: TaintCall, value: Json): void {
    this.#taint.returned(call, value);
    // A person may have started the session anew since the call began: then the label on disk is the clean one.
    this.#keep(this.#taint.label, call);
  }

  /** Resolves when all labels up to now are on disk. */
  saved(): Promise<void> {
    return this.#written;
  }

  /** Keeps a result that the agent gets a handle for. It leaves nothing in clear, so the label stays as it is. */
  hide(call: TaintCall, value: Json): string {
    this.#taint.kept(call, value);
    const id = `hidden_${randomUUID().replaceAll('-', '')}`;
    this.#hidden.set(id, { call, value });
    let size = 0;
    for (const [key, it] of [...this.#hidden].reverse()) {
      size += JSON.stringify(it.value).length;
      if (key !== id && (size > maxHiddenCharacters || this.#hidden.size > maxHidden))
        this.#hidden.delete(key);
    }
    return id;
  }

  /** Undefined if it is not kept any more. */
  hidden(id: string): Json | undefined {
    return this.#hidden.get(id)?.value;
  }

  hiddenResults(): readonly (readonly [string, Json])[] {
    return [...this.#hidden].map(([id, { value }]) => [id, value] as const);
  }

  /** A message may have quoted a hidden result: from now on it counts as shown. */
  reveal(id: string): void {
    const found = this.#hidden.get(id);
    if (found !== undefined) this.#taint.returned(found.call, found.value);
  }

  /** Where a text was shown, for a person; undefined if no result contained it. */
  seenIn(text: string): string | undefined {
    const match = this.#taint.index.find(text);
    return match === undefined ? undefined : whereSeen(match);
  }

  ended(call: TaintCall): void {
    this.#taint.ended(call.callId);
  }

  /** People vouch for values. The rows about it are stored by the caller. */
  endorse(given: readonly Endorsement[]): void {
    for (const it of given) this.#taint.endorse(it);
  }

  hasEndorsement(endorsement: Endorsement): boolean {
    return this.#taint.hasEndorsement(endorsement);
  }

  revoke(endorsement: Endorsement): void {
    this.#taint.revoke(endorsement);
    // It may have been one of them.
    this.#constants = undefined;
  }

  /** The person's own addresses and other constants of the operator. Replaces the ones before. Called for each call. */
  useConstants(constants: readonly string[]): void {
    if (this.#constants === constants) return;
    this.#constants = constants;
    this.#taint.useConstants(constants);
  }

  /** A person starts the session anew: nothing that it saw counts any more. */
  reset(): void {
    this.#taint = new TaintSession({ wholeInput: this.#wholeInput });
    this.#constants = undefined;
    this.#stored = this.#taint.label;
    this.#hidden.clear();
    this.#untrustedBy = null;
    this.#privateBy = null;
  }

  #write(): void {
    // Without endorsements: they contain arguments of calls, which are not stored in clear. Those of people have rows.
    const facts = { ...this.#taint.facts(), endorsements: [], label: this.#stored, hasValues: true };
    const changed = { facts, untrustedBy: this.#untrustedBy, privateBy: this.#privateBy };
    this.#written = this.#written.then(() => this.#store(changed));
    // A waiting call gets the error. Without one, it must not end the process.
    this.#written.catch(() => {});
  }
}
