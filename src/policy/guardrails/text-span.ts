/** A part of a text; the end is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Finds one kind of personal data in linear time. */
export type SpanFinder = (text: string) => readonly TextSpan[];

/**
 * Replaces what was redacted before. It counts like a digit: otherwise the rest of a longer number would look complete,
 * and a second pass would redact more than the first.
 */
export const removedMark = '\uF8FF';

const letterOrDigit = /[\p{L}\p{N}_\uF8FF]/u;

/** Whether a letter or digit is directly before or after, so that the span is only a part of something else. */
export function isInsideWord(text: string, { start, end }: TextSpan): boolean {
  return letterOrDigit.test(text.charAt(start - 1)) || letterOrDigit.test(text.charAt(end));
}

/** Finds matches that are not inside a word and pass the check. Patterns must have bounded repetition only. */
export function patternFinder(pattern: RegExp, check: (match: string) => boolean = () => true): SpanFinder {
  return (text) => {
    const spans: TextSpan[] = [];
    for (const match of text.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (!isInsideWord(text, span) && check(match[0])) spans.push(span);
    }
    return spans;
  };
}

/** The digits of a text, as numbers. */
export function digitsOf(text: string): number[] {
  return [...text.replace(/\D/g, '')].map(Number);
}

/** Luhn check digit, used by cards and many other numbers. */
export function passesLuhn(digits: readonly number[]): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits[digits.length - 1 - index] as number;
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Sum of digits times weights. */
export function weightedSum(digits: readonly number[], weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0);
}
