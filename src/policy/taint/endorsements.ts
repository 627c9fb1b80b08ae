import { canonical } from './folded-text.js';
import { type NamedPlace, readPlace } from './named-place.js';
import { hasControl, hasWords, namesPlace, type PersonWords, readWords } from './person-words.js';
import { type TaintLevel, taintLevels } from './tool-labels.js';

/** Why a value is endorsed. `clean`: used before the session saw text of others. `made`: an object of this session. */
export type EndorsementSource = 'words' | 'operator' | 'approval' | 'clean' | 'made';

/** One value that a person vouched for. Plain data, so that it can be stored. */
export interface Endorsement {
  readonly source: EndorsementSource;
  /** `words`: a whole text. `host`: all its pages. `place`: an address, account or name. `value`: for one input. */
  readonly kind: 'words' | 'host' | 'place' | 'value';
  readonly value: string;
  /** The most severe act that it covers. */
  readonly level: TaintLevel;
  /** Package, tool and input for which alone it counts; for `value`, also only a package. Absent: all of them. */
  readonly input?: string;
}

/** Links of a host that one approved visit covers. */
const maxLinks = 3;
/**
 * What an agent can add by itself: values used in a clean session, objects that it made, and links that it opened. More are
 * not endorsed, so that a person is asked.
 */
const maxOfAgent = 5000;
const maxMadeFiles = 1000;
const maxOpenedLinks = 5000;
/** Hosts that one session opens without a question because no result had named them. */
const maxFreeHosts = 5;

/** Whether an act of one level is covered by another. */
export function covers(level: TaintLevel, needed: TaintLevel): boolean {
  return taintLevels.indexOf(level) >= taintLevels.indexOf(needed);
}

/** How many links of a host a session opened. Without the links: they are arguments of calls. */
export interface OpenedLinks {
  readonly host: string;
  readonly count: number;
}

/** No package, tool and input have this name. */
const flowInput = 'data flow';

interface FlowTarget {
  readonly package: string;
  readonly tool: string;
}

/** Everything that people vouched for in one session. */
export class Endorsements {
  readonly #all = new Map<string, Endorsement>();
  readonly #words: { readonly of: Endorsement; readonly words: PersonWords }[] = [];
  readonly #madeFiles: ReadonlySet<string>[] = [];
  /** By host: links that were opened so far. */
  readonly #links = new Map<string, Set<string>>();
  readonly #earlierLinks = new Map<string, number>();
  #linkCount = 0;
  #freeHosts = 0;
  #ofAgent = 0;

  add(it: Endorsement): void {
    const key = keyOf(it);
    const before = this.#all.get(key);
    if (before !== undefined && covers(before.level, it.level)) return;
    if (it.source === 'clean' || it.source === 'made') {
      if (this.#ofAgent >= maxOfAgent) return;
      this.#ofAgent++;
      if (it.kind === 'host') this.#freeHosts++;
    }
    this.#all.set(key, it);
    if (it.kind === 'words')
      this.#words.push({ of: it, words: readWords(it.value, { isQuoteAware: it.source === 'words' }) });
  }

  /** Whether the same value is endorsed for the same level. */
  has(it: Endorsement): boolean {
    const found = this.#all.get(keyOf(it));
    return found !== undefined && found.source === it.source && covers(found.level, it.level);
  }

  list(): readonly Endorsement[] {
    return [...this.#all.values()];
  }

  revoke(it: Endorsement): void {
    this.#all.delete(keyOf(it));
    const at = this.#words.findIndex(({ of }) => keyOf(of) === keyOf(it));
    if (at !== -1) this.#words.splice(at, 1);
  }

  /** Whether the person's words name a text. */
  isNamed(text: string): boolean {
    return this.#words.some((it) => it.of.source === 'words' && hasWords(it.words, text));
  }

  /** Whether the person's words name a place. */
  isNamedPlace(text: string): boolean {
    const to = readPlace(text);
    return this.#words.some((it) => it.of.source === 'words' && namesPlace(it.words, to, true));
  }

  /** Whether an address is one of the user's own. */
  isOwn(address: string): boolean {
    return this.#all.get(`place  ${address}`)?.source === 'operator';
  }

  /** Whether a host was opened without a question, because no result had named it. */
  isFreeHost(host: string): boolean {
    return this.#all.get(`host  ${host}`)?.source === 'clean';
  }

  /** Whether one more such host may be opened. */
  mayOpenFreeHost(host: string): boolean {
    return this.isFreeHost(host) || this.#freeHosts < maxFreeHosts;
  }

  /** Whether a text is a part of one of the user's own addresses. */
  isOwnPart(text: string): boolean {
    return [...this.#all.values()].some(
      (it) =>
        it.source === 'operator' && it.kind === 'place' && it.value.split('@').includes(canonical(text)),
    );
  }

  /** Whether a person approved that private data of a package leaves with calls of a tool. */
  hasFlow(source: string, call: FlowTarget): boolean {
    return this.#all.has(keyOf(this.flowOf(source, call)));
  }

  /** The endorsement of such a pair. */
  flowOf(source: string, { package: packageId, tool }: FlowTarget): Endorsement {
    const value = `${source} → ${packageId}/${tool}`;
    return { source: 'approval', kind: 'value', value, level: 'pay', input: flowInput };
  }

  /** Whether somebody vouched for a place, for acts of this level; or for an act of the level of `only` in its input. */
  hasPlace(
    to: NamedPlace,
    level: TaintLevel,
    only?: { readonly input: string; readonly level: TaintLevel },
  ): boolean {
    const isSend = level !== 'visit';
    if (this.#words.some((it) => namesPlace(it.words, to, isSend))) return true;
    if (to.kind === 'host' && !to.plain) return false;
    const [kind, value] = to.kind === 'host' ? (['host', to.host] as const) : (['place', to.text] as const);
    if (only !== undefined && this.#has(kind, value, only.level, only.input)) return true;
    return this.#has(kind, value, kind === 'host' && !isSend ? 'message' : level);
  }

  /** Whether an approved visit of the host covers this link too. */
  hasVisit(to: NamedPlace, isVerbatim: boolean): boolean {
    if (to.kind !== 'host' || !to.plain || !this.#has('host', to.host, 'visit')) return false;
    if (to.page === '' || this.#links.get(to.host)?.has(to.page)) return true;
    return isVerbatim && this.mayOpenLink(to);
  }

  /** Whether one more link of the host may be opened because it was seen: many links could spell a secret. */
  mayOpenLink(to: NamedPlace): boolean {
    if (to.kind !== 'host') return false;
    const links = this.#links.get(to.host);
    if (links?.has(to.page)) return true;
    return this.#linkCount < maxOpenedLinks && this.#opened(to.host) < maxLinks;
  }

  /** Remembers a link that was opened. */
  useLink(to: NamedPlace): void {
    if (to.kind !== 'host' || to.page === '') return;
    const links = this.#links.get(to.host) ?? new Set();
    if (links.has(to.page) || this.#linkCount >= maxOpenedLinks) return;
    this.#linkCount++;
    this.#links.set(to.host, links.add(to.page));
  }

  /** To be stored: a restart must not allow more links. */
  openedLinks(): readonly OpenedLinks[] {
    const hosts = new Set([...this.#links.keys(), ...this.#earlierLinks.keys()]);
    return [...hosts].map((host) => ({ host, count: this.#opened(host) }));
  }

  /** Links that were opened before a restart. Each of them needs a question again once the limit is reached. */
  addEarlierLinks({ host, count }: OpenedLinks): void {
    this.#earlierLinks.set(host, count);
    this.#linkCount += count;
  }

  #opened(host: string): number {
    return (this.#links.get(host)?.size ?? 0) + (this.#earlierLinks.get(host) ?? 0);
  }

  /** A call of this session made a file: its name, and the names of the folders above it. */
  addMadeFile(names: ReadonlySet<string>): void {
    if (this.#madeFiles.length < maxMadeFiles) this.#madeFiles.push(names);
  }

  /** Whether a path names a file that this session made. */
  isMadeFile(path: string): boolean {
    const names = canonical(path)
      .split('/')
      .filter((it) => it !== '');
    if (readPlace(path).kind !== 'path') return false;
    return names.length > 0 && this.#madeFiles.some((made) => names.every((it) => made.has(it)));
  }

  /** Whether somebody vouched for an identifier in this input. */
  hasIdentifier(value: string, input: string): boolean {
    return this.#hasValue(value, input) || this.#words.some((it) => hasWords(it.words, value));
  }

  /** Whether somebody vouched for an amount, a date or another control value in this input. */
  hasControl(value: string, input: string): boolean {
    return this.#hasValue(value, input) || this.#words.some((it) => hasControl(it.words, value));
  }

  #hasValue(value: string, input: string): boolean {
    const text = canonical(value);
    return this.#all.has(`value ${input} ${text}`) || this.#all.has(`value ${packageOf(input)} ${text}`);
  }

  #has(kind: 'host' | 'place', value: string, level: TaintLevel, input = ''): boolean {
    const found = this.#all.get(`${kind} ${input} ${value}`);
    return found !== undefined && covers(found.level, level);
  }
}

function keyOf({ kind, value, input = '' }: Endorsement): string {
  return `${kind} ${input} ${kind === 'words' ? value : canonical(value)}`;
}

function packageOf(input: string): string {
  return input.slice(0, input.indexOf('/'));
}
