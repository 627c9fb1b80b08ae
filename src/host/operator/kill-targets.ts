import { suggest } from '../../formats/suggest.js';
import { HostError } from '../../model/host-error.js';
import { isKilled, type KillTarget, killTargetText } from '../../model/kill-target.js';
import { shellQuote } from '../../model/shell-quote.js';
import { splitToolName } from '../../model/tool-name.js';
import type { KnownNames } from '../../store/known-names.js';

/** Names of each kind that are remembered from sessions of this run. */
const maxRemembered = 10_000;
const maxSuggestions = 3;

/** What a session has: its caller, its packages and its tools as `package/tool`. */
export interface SessionNames {
  readonly principal: string;
  readonly packages: readonly string[];
  readonly tools: readonly string[];
}

/** Knows which targets of the kill switch exist, so that a misspelled one is an error instead of a false safety. */
export class KillTargets {
  readonly #stored: KnownNames;
  readonly #principals = new Set<string>();
  readonly #packages = new Set<string>();
  readonly #tools = new Set<string>();

  constructor(stored: KnownNames) {
    this.#stored = stored;
  }

  /** Remembers the names of a session that was opened. */
  add({ principal, packages, tools }: SessionNames): void {
    remember(this.#principals, [principal]);
    remember(this.#packages, packages);
    remember(this.#tools, tools);
  }

  /** Throws `not_found` with the near names if nothing here has this name. `active`: targets that are stopped now. */
  async assertKnown(
    target: KillTarget,
    { active, otherwise }: { readonly active: readonly string[]; readonly otherwise: string },
  ): Promise<void> {
    const text = killTargetText(target);
    if (active.includes(text)) return;
    const near = await this.#nearNames(target);
    if (near === undefined) return;
    const names = [...new Set([...nearest(text, active), ...near])].slice(0, maxSuggestions);
    const meant = names.length === 0 ? '' : `did you mean ${names.join(' or ')}? `;
    throw new HostError('not_found', `${describe(target)} is not known here; nothing was changed`, {
      hint: `${meant}${otherwise.replace('TARGET', shellQuote(text))}`,
    });
  }

  /** Undefined if the target exists, else the names that are similar. */
  async #nearNames(target: KillTarget): Promise<readonly string[] | undefined> {
    switch (target.kind) {
      case 'all':
        return undefined;
      case 'package': {
        const packages = await this.#knownPackages();
        return packages.includes(target.package) ? undefined : nearest(target.package, packages);
      }
      case 'tool': {
        const packages = await this.#knownPackages();
        const { package: id, tool } = target;
        if (!packages.includes(id)) return nearest(id, packages).map((it) => `${it}/${tool}`);
        const tools = await this.#knownTools(id);
        // A program that never announced its tools may have this one.
        if (tools.length === 0 || tools.includes(tool)) return undefined;
        return nearest(tool, tools).map((it) => `${id}/${it}`);
      }
      case 'principal': {
        const isNamed = (it: string) => isKilled(target, { principal: it });
        if ([...this.#principals].some(isNamed)) return undefined;
        const principals = [
          ...this.#principals,
          ...(await this.#stored.tokenPrincipals()),
          ...(await this.#stored.principals()),
        ];
        if (principals.some(isNamed)) return undefined;
        return nearest(target.principal, [...new Set(principals)]).map((it) => `principal:${it}`);
      }
    }
  }

  async #knownPackages(): Promise<readonly string[]> {
    return [...new Set([...this.#packages, ...(await this.#stored.packages())])];
  }

  async #knownTools(id: string): Promise<readonly string[]> {
    const seen = [...this.#tools].flatMap((it) => {
      const [owner, tool] = splitToolName(it);
      return owner === id && tool !== undefined ? [tool] : [];
    });
    return [...new Set([...seen, ...(await this.#stored.tools(id))])];
  }
}

function remember(names: Set<string>, more: readonly string[]): void {
  for (const it of more) if (names.size < maxRemembered) names.add(it);
}

/** The most similar names, nearest first. */
function nearest(name: string, known: readonly string[]): string[] {
  const left = new Set(known);
  const found: string[] = [];
  while (found.length < maxSuggestions) {
    const next = suggest(name, left);
    if (next === undefined) break;
    found.push(next);
    left.delete(next);
  }
  return found;
}

function describe(target: KillTarget): string {
  switch (target.kind) {
    case 'all':
      return 'all';
    case 'package':
      return `the package ${JSON.stringify(target.package)}`;
    case 'tool':
      return `the tool ${JSON.stringify(`${target.package}/${target.tool}`)}`;
    case 'principal':
      return `the caller ${JSON.stringify(target.principal)}`;
  }
}
