// TypeScript that cannot be turned into JavaScript by removing types alone.

/** A place in a file whose syntax this host cannot run. */
export interface UnsupportedSyntax {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint: string;
}

/** `declare namespace` has no values and is not matched. */
const namespaceForm =
  /(?=namespace|module|export)(?<![\w$.])(?<!\bdeclare\s+)(?:export\s+)?(?:namespace|module)[ \t]+([A-Za-z_$][\w$.]*)\s*(?=\{)/g;

/** More than anybody writes in one file. */
const maxNamespaces = 1000;

/**
 * The first namespace that contains values. Stripping removes whole namespaces, which is correct only for types.
 * `strip` removes the types of a text and keeps its lines; it throws if the text has a syntax error.
 */
export function valueNamespace(
  text: string,
  stripped: string,
  strip: (text: string) => string,
): UnsupportedSyntax | undefined {
  // What is still there after stripping is inside a string or a comment.
  const kept = new Set(namespacesIn(stripped).map((it) => it.key));
  const found = namespacesIn(text).filter((it) => !kept.has(it.key));
  if (found.length === 0) return undefined;
  // As blocks, the bodies are stripped like any code, and what is left of them are values.
  const prefix = ['$n', '$q', '_n'].find((it) => !text.includes(it)) ?? '$_';
  const marker = (position: number) => `${prefix}${position.toString(36)}_;`;
  let asBlocks = '';
  let from = 0;
  for (const [position, { start, declaration }] of found.entries()) {
    const rest = declaration.slice(marker(position).length).replaceAll(/\S/g, ' ');
    asBlocks += `${text.slice(from, start)}${marker(position)}${rest}`;
    from = start + declaration.length;
  }
  const left = stripOrNothing(strip, asBlocks + text.slice(from));
  const first = found.find((_, position) => {
    // Without a result nothing shows that there are only types.
    if (left === undefined) return true;
    const at = left.indexOf(marker(position));
    // Removed with the types around it.
    return at !== -1 && hasValues(left.slice(at), prefix);
  });
  if (first === undefined) return undefined;
  return {
    start: first.start,
    end: first.start + first.declaration.trimEnd().length,
    message: `the namespace ${first.name} contains values; only namespaces of types are supported`,
    hint: 'export its members from a module of their own, or use an object',
  };
}

interface NamespaceStart {
  readonly start: number;
  readonly declaration: string;
  readonly name: string;
  /** Line and text: the same before and after stripping. */
  readonly key: string;
}

function namespacesIn(text: string): NamespaceStart[] {
  const found: NamespaceStart[] = [];
  let line = 0;
  let from = 0;
  for (const match of text.matchAll(namespaceForm)) {
    for (let at = text.indexOf('\n', from); at !== -1 && at < match.index; at = text.indexOf('\n', at + 1))
      line++;
    from = match.index;
    const [declaration, name = ''] = match;
    found.push({ start: match.index, declaration, name, key: `${line} ${declaration}` });
    if (found.length === maxNamespaces) break;
  }
  return found;
}

function stripOrNothing(strip: (text: string) => string, text: string): string | undefined {
  try {
    return strip(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether the block after the marker at the start has more than markers, blocks and comments. */
function hasValues(text: string, prefix: string): boolean {
  const marker = `${prefix.replaceAll('$', '\\$')}[0-9a-z]+_;`;
  let depth = 0;
  for (const [token] of text.matchAll(new RegExp(`//.*|/\\*[^]*?\\*/|${marker}|[{}]|[^\\s;]`, 'g'))) {
    if (token === '{') depth++;
    else if (token === '}') depth--;
    else if (token.length === 1) return true;
    if (depth === 0 && token === '}') return false;
  }
  return false;
}

/** Whether a syntax error at this offset is about a decorator. */
export function isAtDecorator(text: string, offset: number): boolean {
  return text[offset] === '@' || /@[\w$.]*\s*$/.test(text.slice(Math.max(0, offset - 80), offset));
}

export const decoratorProblem = {
  message: 'decorators are not supported',
  hint: 'call the decorator as a function, or publish the compiled JavaScript as index.js',
};
