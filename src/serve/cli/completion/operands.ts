import type { Option } from '../command/command.js';

/** What may stand at one place of a command line. */
export interface Operand {
  /** Words that are written as they are, such as subcommands. */
  readonly literals: readonly string[];
  /** Placeholders, such as `PACKAGE` or `DIR`. */
  readonly placeholders: readonly string[];
  readonly repeats: boolean;
}

/** The ways to write a command, each a list of operands. Read from the usage line of its help, which people read too. */
export function parseUsage(usage: string, options: readonly Option[]): readonly (readonly Operand[])[] {
  const withValue = new Set(options.filter((it) => it.value !== undefined).map((it) => `--${it.name}`));
  // In brackets, a bar separates choices at one place; outside, it separates whole ways to write the command.
  const joined = usage.replace(/\[[^\]]*\]/g, (group) => group.replaceAll(' | ', '|'));
  return joined
    .replace(/^\S+ ?/, '')
    .split(' | ')
    .map((way) => operandsOf(way, withValue));
}

function operandsOf(way: string, withValue: ReadonlySet<string>): Operand[] {
  const operands: Operand[] = [];
  let isValue = false;
  for (const token of way.split(/\s+/)) {
    const choices = token.replace(/[[\]…]/g, '').split('|');
    const wasValue = isValue;
    isValue = choices.some((it) => withValue.has(it));
    if (wasValue || choices.some((it) => it.startsWith('--') || it === '' || it === 'options')) continue;
    operands.push({
      literals: choices.filter((it) => /^[a-z][a-z0-9-]*$/.test(it)),
      placeholders: choices.filter((it) => /^[A-Z][A-Z/]*$/.test(it)),
      repeats: token.includes('…'),
    });
  }
  return operands;
}

/** What may come after these operands. */
export function nextOperands(
  ways: readonly (readonly Operand[])[],
  given: readonly string[],
): readonly Operand[] {
  return ways.flatMap((way) => {
    const fits = given.every((word, index) => accepts(at(way, index), word));
    // Optional operands may be left out, so all that repeat are possible as well.
    const next = fits ? at(way, given.length) : undefined;
    const later = fits
      ? way.slice(given.length + 1).filter((it) => it.repeats && next?.repeats === true)
      : [];
    return next === undefined ? [] : [next, ...later];
  });
}

/** The last operand may stand for all that follow. */
function at(way: readonly Operand[], index: number): Operand | undefined {
  return way[index] ?? (way.at(-1)?.repeats === true ? way.at(-1) : undefined);
}

function accepts(operand: Operand | undefined, word: string): boolean {
  return operand !== undefined && (operand.placeholders.length > 0 || operand.literals.includes(word));
}
