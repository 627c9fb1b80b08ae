import type { Json } from '../../model/json.js';
import { LiveMap } from '../../model/live-map.js';
import { leavesOf } from './call-leaf.js';
import { type Endorsement, Endorsements, type OpenedLinks } from './endorsements.js';
import { canonical, squeeze } from './folded-text.js';
import { judgeCall } from './judge.js';
import { type JudgeState, judgedCallOf, type PendingCode, type TaintCall } from './judge-state.js';
import { levelOf } from './level.js';
import { type NamedPlace, readPlace } from './named-place.js';
import { isUnseenHost, placesIn } from './place-rules.js';
import { hasShortValuesOnly } from './short-values.js';
import { confirmsShape } from './standard-rules.js';
import { cleanLabel, joinLabels, lowestLabel, type TaintLabel } from './taint-label.js';
import type { TaintHold, TaintMode, TaintVerdict } from './taint-verdict.js';
import { isConsequential, type ToolLabels } from './tool-labels.js';
import { ValueIndex } from './value-index.js';

/** What is stored of a session. The index is not: after a restart every value may have been seen. */
export interface TaintFacts {
  readonly label: TaintLabel;
  readonly calls: number;
  /** Whether the session was shown values. Without them, an index that is lost misses nothing. */
  readonly hasValues: boolean;
  readonly endorsements: readonly Endorsement[];
  readonly pendingCodes: readonly PendingCode[];
  /** An approved visit covers only a few links of its host. */
  readonly openedLinks: readonly OpenedLinks[];
}

/** Calls whose number and texts are kept. A value of an older call needs an endorsement of its own. */
const maxKeptCalls = 1000;
/** Acts of one session that wait for a code. */
const maxPendingCodes = 100;

export interface TaintSessionOptions {
  /** Facts of the same session, from before a restart. */
  readonly facts?: TaintFacts;
  /** The person's own addresses and other constants of the operator. */
  readonly constants?: readonly string[];
  /** Whether all that the agent reads comes through the host. If not, the session is untrusted from the start. */
  readonly wholeInput?: boolean;
  readonly maxIndexBytes?: number;
}

/** The label, the values and the endorsements of one session. */
export class TaintSession {
  #label: TaintLabel;
  #calls: number;
  #hasValues: boolean;
  #hasOwnValues = false;
  readonly #index: ValueIndex;
  readonly #endorsements = new Endorsements();
  #pendingCodes: PendingCode[];
  readonly #callTexts = new Map<number, readonly string[]>();
  /** By call id: its number, and whether a person or an endorsement decided it. */
  readonly #running = new LiveMap<string, { readonly call: number; readonly wasClean: boolean }>();

  constructor({ facts, constants = [], wholeInput = true, maxIndexBytes }: TaintSessionOptions = {}) {
    const first = wholeInput ? cleanLabel : lowestLabel;
    this.#label = facts === undefined ? first : joinLabels(facts.label, first);
    this.#calls = facts?.calls ?? 0;
    this.#hasValues = facts?.hasValues ?? false;
    this.#pendingCodes = [...(facts?.pendingCodes ?? [])];
    const isComplete = !this.#hasValues && wholeInput;
    this.#index = new ValueIndex({
      isComplete,
      ...(maxIndexBytes === undefined ? {} : { maxBytes: maxIndexBytes }),
    });
    for (const it of facts?.endorsements ?? []) this.#endorsements.add(it);
    for (const it of facts?.openedLinks ?? []) this.#endorsements.addEarlierLinks(it);
    for (const it of constants) this.#endorsements.add(constantOf(it));
  }

  get label(): TaintLabel {
    return this.#label;
  }

  get index(): ValueIndex {
    return this.#index;
  }

  /** Judges a call. Changes nothing. */
  judge(call: TaintCall, mode: TaintMode): TaintVerdict {
    return judgeCall(this.#state(), call, mode);
  }

  /** A call runs now: because it was allowed, or because a person approved it. */
  started(call: TaintCall): void {
    this.#calls++;
    const wasClean = this.#label.integrity === 'trusted';
    this.#running.set(call.callId, { call: this.#calls, wasClean });
    dropOldest(this.#running, maxKeptCalls);
    const leaves = leavesOf(call.input, call.labels);
    if (wasClean) {
      for (const it of leaves) {
        this.#endorsements.add({ source: 'clean', kind: 'words', value: it.text, level: 'pay' });
        const input = `${call.package}/${call.tool}/${it.input}`;
        this.#endorsements.add({ source: 'clean', kind: 'value', value: it.text, level: 'pay', input });
      }
    } else if (call.labels.asks === 'any') {
      for (const leaf of leaves) for (const to of placesIn(leaf)) this.#visited(to);
    } else if (isConsequential(call.labels)) {
      const level = levelOf(call.labels, leaves);
      const judged = judgedCallOf(call, leaves, level);
      if (confirmsShape(judged))
        this.#pendingCodes = this.#pendingCodes.filter((it) => it.package !== call.package);
      for (const it of leaves) {
        if (it.role !== 'destination') continue;
        const to = readPlace(it.text);
        if (level === 'visit') this.#visited(to);
        else this.#endorsements.useLink(to);
      }
    }
    const texts = leaves.map((it) => it.text).filter((it) => it.length > 3 && it.length <= 256);
    if (texts.length > 0) this.#callTexts.set(this.#calls, texts.slice(0, 16));
    dropOldest(this.#callTexts, maxKeptCalls);
  }

  #visited(to: NamedPlace): void {
    if (to.kind === 'host' && isUnseenHost(this.#state(), to))
      this.#endorsements.add({ source: 'clean', kind: 'host', value: to.host, level: 'visit' });
    this.#endorsements.useLink(to);
  }

  /** The result of a call leaves in clear, or its error, progress or question. */
  returned(call: TaintCall, result: Json): void {
    const { labels } = call;
    const number = this.#running.get(call.callId)?.call ?? ++this.#calls;
    const label = resultLabel(labels, result, this.#label);
    this.#hasValues = true;
    if (isConsequential(labels) && asksForCode(result))
      this.#pendingCodes = [
        ...this.#pendingCodes.slice(1 - maxPendingCodes),
        { package: call.package, call: number },
      ];
    const origin = { package: call.package, tool: call.tool, callId: call.callId, call: number };
    if (isConsequential(labels) && labels.result !== 'third-party') this.#endorseMade(call, result);
    // An acknowledgment can contain text of others too.
    this.#index.add(origin, result, { label, isThirdParty: labels.result !== 'own' });
    if (labels.result !== 'third-party') this.#hasOwnValues = true;
    this.#label = joinLabels(this.#label, label);
  }

  /** A result that nobody read: its values are known, and the label of the session stays as it is. */
  kept(call: TaintCall, result: Json): void {
    const { labels } = call;
    const number = this.#running.get(call.callId)?.call ?? this.#calls;
    this.#hasValues = true;
    const origin = { package: call.package, tool: call.tool, callId: call.callId, call: number };
    const label = resultLabel(labels, result, this.#label);
    this.#index.add(origin, result, { label, isThirdParty: true });
  }

  /** Objects that a call made: values of its result that no result had before, and that the caller did not give it. */
  #endorseMade(call: TaintCall, result: Json): void {
    const texts = freshTexts(result);
    const leaves = leavesOf(call.input, call.labels);
    const given = leaves.map((it) => squeeze(it.text));
    const places = leaves.filter((it) => it.role === 'destination');
    if (call.labels.result === 'status' && !call.labels.effects.has('send'))
      this.#endorsements.addMadeFile(
        new Set([...wordsIn(result), ...places.flatMap((it) => wordsIn(it.text))].map(canonical)),
      );
    for (const text of texts) {
      if (this.#index.findToken(text) !== undefined) continue;
      if (given.some((it) => it.includes(squeeze(text)))) continue;
      this.#endorsements.add({
        source: 'made',
        kind: 'value',
        value: text,
        level: 'pay',
        input: call.package,
      });
    }
  }

  /** A person wrote this through a channel that the agent cannot use. */
  endorseWords(text: string): void {
    this.#endorsements.add({ source: 'words', kind: 'words', value: text, level: 'pay' });
  }

  /** A person approved a held call: its values are endorsed up to its level. */
  approve({ findings }: TaintHold): void {
    for (const { endorses } of findings) for (const it of endorses) this.#endorsements.add(it);
  }

  /** Nothing more of a call can leave. */
  ended(callId: string): void {
    this.#running.delete(callId);
  }

  /** Somebody vouches for a value. */
  endorse(endorsement: Endorsement): void {
    this.#endorsements.add(endorsement);
  }

  /** The person's own addresses and other constants of the operator. Replaces the ones before. */
  useConstants(constants: readonly string[]): void {
    for (const it of this.#endorsements.list()) if (it.source === 'operator') this.#endorsements.revoke(it);
    for (const it of constants) this.#endorsements.add(constantOf(it));
  }

  endorsements(): readonly Endorsement[] {
    return this.#endorsements.list();
  }

  hasEndorsement(endorsement: Endorsement): boolean {
    return this.#endorsements.has(endorsement);
  }

  revoke(endorsement: Endorsement): void {
    this.#endorsements.revoke(endorsement);
  }

  facts(): TaintFacts {
    return {
      label: this.#label,
      calls: this.#calls,
      hasValues: this.#hasValues,
      endorsements: this.#endorsements.list().filter((it) => it.source !== 'operator'),
      pendingCodes: this.#pendingCodes,
      openedLinks: this.#endorsements.openedLinks(),
    };
  }

  #state(): JudgeState {
    return {
      label: this.#label,
      hasOwnValues: this.#hasOwnValues,
      index: this.#index,
      endorsements: this.#endorsements,
      pendingCodes: this.#pendingCodes,
      callTexts: this.#callTexts,
    };
  }
}

/** Removes what was added first, until the map is small enough. */
function dropOldest<K>(map: Map<K, unknown> | LiveMap<K, unknown>, size: number): void {
  if (map.size <= size) return;
  for (const key of map.keys()) {
    if (map.size <= size) return;
    map.delete(key);
  }
}

/** R1 and R2: what a result of a tool can contain. A pure tool only passes on what the session has. */
export function resultLabel(labels: ToolLabels, result: Json, session: TaintLabel): TaintLabel {
  if (labels.pure) return session;
  const isPublic =
    labels.effects.has('send') && !labels.effects.has('write') && labels.result === 'third-party';
  const secrecy = isPublic || labels.result === 'status' ? 'public' : 'private';
  const isTrusted = labels.trustedResult || (labels.result === 'own' && hasShortValuesOnly(result));
  return { integrity: isTrusted ? 'trusted' : 'untrusted', secrecy };
}

function constantOf(value: string): Endorsement {
  const to = readPlace(value);
  if (to.kind === 'host') return { source: 'operator', kind: 'host', value: to.host, level: 'pay' };
  return { source: 'operator', kind: 'place', value: to.text, level: 'pay' };
}

const codeWords =
  /\b(?:verif\w*|confirm\w*|one-time|otp|passcode|code|pin|tan|bestätig\w*|vérifi\w*|código|codice)\b/iu;

function asksForCode(result: Json): boolean {
  return codeWords.test(typeof result === 'string' ? result : JSON.stringify(result));
}

/** Words and names of files in a text. */
function wordsIn(result: Json): readonly string[] {
  return JSON.stringify(result).match(/[\w-]+(?:\.[\w-]+)*/g) ?? [];
}

/** Identifier-like words of a result. */
function freshTexts(result: Json): Set<string> {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  return new Set(text.match(/[\w./-]*(?:\d|[\w]\.[a-z])[\w./-]*/g) ?? []);
}
