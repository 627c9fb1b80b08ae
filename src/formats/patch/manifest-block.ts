import type { Range } from '../../model/diagnostic.js';
import type { SourceText } from '../document/source-text.js';
import type { PatchCode } from './codes.js';

/** The YAML manifest of a Patch file without its comment marks, with a mapping back to positions in the file. */
export interface ManifestBlock {
  readonly yaml: string;
  /** Converts offsets in the YAML to a range in the file. */
  readonly rangeOf: (start: number, end: number) => Range;
}

/** Why a file has no usable manifest block. */
export interface ManifestBlockProblem {
  readonly code: PatchCode;
  readonly range: Range;
  readonly message: string;
  readonly hint: string;
}

/** A line with this text, ignoring spaces around it, starts or ends the manifest. */
const marker = '# ---';

/** Whether the comments of a text contain at least `minimum` manifest fields. Other programs use "# ---" lines too. */
export function hasManifestFields(text: string, minimum: number): boolean {
  const fields =
    /^[ \t]*#[ \t]?(name|version|description|inputs|outputs|capabilities|runtime|external_auth)[ \t]*:/gm;
  const found = new Set<string>();
  for (const line of text.matchAll(fields)) {
    found.add(line[1] as string);
    if (found.size === minimum) return true;
  }
  return false;
}

/** Extracts the manifest between the first two "# ---" lines. */
export function readManifestBlock(source: SourceText): ManifestBlock | ManifestBlockProblem {
  const lines = source.text.split('\n');
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length + 1;
  }
  const lineRange = (index: number): Range => {
    const start = starts[index] as number;
    return source.range(start, start + (lines[index] as string).trimEnd().length);
  };
  const marks = lines.flatMap((line, index) => (line.trim() === marker ? [index] : []));
  const [open, close, second] = marks;
  if (open === undefined) {
    const hint = 'put the manifest between two "# ---" lines at the top of the file';
    return {
      code: 'patch.no-manifest',
      range: lineRange(0),
      message: 'the manifest is missing: the file has no "# ---" line',
      hint,
    };
  }
  if (close === undefined) {
    const hint = 'end the manifest with a second "# ---" line';
    return {
      code: 'patch.unclosed-manifest',
      range: lineRange(open),
      message: 'the manifest that starts here has no end',
      hint,
    };
  }
  if (second !== undefined && hasManifestFields(lines.slice(second + 1, marks[3]).join('\n'), 1)) {
    const message = 'a second manifest starts here; a file can have only one';
    return {
      code: 'patch.second-manifest',
      range: lineRange(second),
      message,
      hint: 'remove it, or move it to a file of its own',
    };
  }

  // The start offset of each line, in the YAML and in the file.
  const yamlStarts: number[] = [];
  const fileStarts: number[] = [];
  const yamlLines: string[] = [];
  let length = 0;
  for (let index = open + 1; index < close; index++) {
    const line = (lines[index] as string).replace(/\r$/, '');
    const comment = /^\s*(?:# |#|$)/.exec(line);
    if (comment === null) {
      const message = 'this line of the manifest is not a comment';
      return { code: 'patch.line-not-comment', range: lineRange(index), message, hint: 'start it with "# "' };
    }
    const content = line.slice(comment[0].length);
    yamlStarts.push(length);
    fileStarts.push((starts[index] as number) + comment[0].length);
    yamlLines.push(content);
    length += content.length + 1;
  }
  const yaml = yamlLines.join('\n');
  const toFile = (at: number): number => {
    let low = 0;
    let high = yamlStarts.length - 1;
    if (high < 0) return starts[open] as number;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((yamlStarts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    const inLine = Math.min(at - (yamlStarts[low] as number), (yamlLines[low] as string).length);
    return (fileStarts[low] as number) + inLine;
  };
  return { yaml, rangeOf: (start, end) => source.range(toFile(start), toFile(end)) };
}
