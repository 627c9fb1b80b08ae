/** A piece of a text, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds one kind of personal data. Takes time in proportion to the text. */
export type Finder = (text: string) => readonly Span[];

/**
 * Stands where something was taken out before. Around it, it counts as the digits that were there: otherwise the next
 * piece of a longer number would look whole, and doing it twice would take more than doing it once.
 */
export const gone = '\uF8FF';

const letterOrDigit = /[\p{L}\p{N}_\uF8FF]/u;

/** Whether a letter or digit stands right before or after, so that this is only a part of something else. */
export function isPart(text: string, { start, end }: Span): boolean {
  return letterOrDigit.test(text.charAt(start - 1)) || letterOrDigit.test(text.charAt(end));
}

/** What matches, stands by itself and passes the check. Patterns have bounded repetition only. */
export function matching(pattern: RegExp, check: (match: string) => boolean = () => true): Finder {
  return (text) => {
    const found: Span[] = [];
    for (const match of text.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (!isPart(text, span) && check(match[0])) found.push(span);
    }
    return found;
  };
}

/** The digits of a text, as numbers. */
export function digitsOf(text: string): number[] {
  return [...text.replace(/\D/g, '')].map(Number);
}

/** The check digit of cards and many other numbers. */
export function luhn(digits: readonly number[]): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits[digits.length - 1 - index] as number;
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Sum of digits times weights. */
export function weighted(digits: readonly number[], weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0);
}
