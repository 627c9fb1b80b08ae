/** Colors. They never carry information that the text does not. */
export interface Style {
  error(text: string): string;
  warning(text: string): string;
  info(text: string): string;
  good(text: string): string;
  bold(text: string): string;
  dim(text: string): string;
}

const paint = (open: number, close: number) => (text: string) => `\u001B[${open}m${text}\u001B[${close}m`;
const plain = (text: string) => text;

export function makeStyle(color: boolean): Style {
  if (!color) return { error: plain, warning: plain, info: plain, good: plain, bold: plain, dim: plain };
  return {
    error: paint(31, 39),
    warning: paint(33, 39),
    info: paint(36, 39),
    good: paint(32, 39),
    bold: paint(1, 22),
    dim: paint(2, 22),
  };
}
