/** The last lines of the output of a program, for an error message. */
export function lastLines(text: string, lines = 12): string {
  return text.trimEnd().split('\n').slice(-lines).join('\n').slice(-4000);
}
