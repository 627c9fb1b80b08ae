// What version hints of manifests mean: `3.12`, `3.11.7`, `v20`, `20.x`, `>=3.10,<3.13`, `^20.1`, `~=3.10`.

type Operator = '>=' | '<=' | '==' | '!=' | '~=' | '=' | '>' | '<' | '^' | '~';

interface Clause {
  readonly operator: Operator | undefined;
  /** Up to three numbers, as they were written. */
  readonly numbers: readonly number[];
}

/** A hint that was understood: all clauses must be met. */
export type VersionHint = readonly Clause[];

const clausePattern =
  /^(?:python|node)?\s*(>=|<=|==|!=|~=|=|>|<|\^|~)?\s*v?(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?(?![\d])/i;

/** Undefined: the text names no version, so every version fits. */
export function parseVersionHint(text: string | undefined): VersionHint | undefined {
  const parts = (text ?? '').replace(/([<>=!~^])\s+/g, '$1').split(/\s*,\s*|\s+(?=[<>=!~^])/);
  const clauses = parts.flatMap((part): Clause[] => {
    const match = clausePattern.exec(part.trim());
    if (match === null) return [];
    const numbers = match.slice(2, 5).filter((it) => it !== undefined);
    return [{ operator: match[1] as Operator | undefined, numbers: numbers.map(Number) }];
  });
  return clauses.length === 0 ? undefined : clauses;
}

/** Whether the last of three numbers matters. */
export function namesPatch(hint: VersionHint | undefined): boolean {
  return hint?.some((it) => it.numbers.length === 3) === true;
}

/** The numbers that a version is compared with to find the nearest one. */
export function hintedNumbers(hint: VersionHint | undefined): readonly number[] {
  return hint?.[0]?.numbers ?? [];
}

/**
 * Whether a version fits. Numbers that it lacks are not known, so a clause that needs them is not met. A plain hint means
 * exactly that version of Python, and at least that minor version of Node, whose later versions are compatible.
 */
export function fitsHint(hint: VersionHint | undefined, version: readonly number[]): boolean {
  return hint === undefined || hint.every((it) => fitsClause(it, version));
}

function fitsClause({ operator, numbers }: Clause, version: readonly number[]): boolean {
  const order = compare(version, numbers);
  const isSame = (count: number) => numbers.slice(0, count).every((it, index) => version[index] === it);
  const isPython = version[0] === 3;
  switch (operator) {
    case '>=':
      return order !== undefined && order >= 0;
    case '>':
      return order !== undefined && order > 0;
    case '<=':
      return order !== undefined && order <= 0;
    case '<':
      return order !== undefined && order < 0;
    case '!=':
      return order !== undefined && order !== 0;
    case '^':
      return isSame(1) && order !== undefined && order >= 0;
    case '~=':
      return isSame(Math.max(1, numbers.length - 1)) && order !== undefined && order >= 0;
    case '~':
      return isSame(2) && order !== undefined && order >= 0;
    case '=':
    case '==':
    case undefined:
      return isPython ? order === 0 : isSame(1) && order !== undefined && order >= 0;
  }
}

/** By the numbers of the hint only. Undefined: a number that decides is not known. */
function compare(version: readonly number[], numbers: readonly number[]): number | undefined {
  for (const [index, wanted] of numbers.entries()) {
    const found = version[index];
    if (found === undefined) return undefined;
    if (found !== wanted) return found - wanted;
  }
  return 0;
}
