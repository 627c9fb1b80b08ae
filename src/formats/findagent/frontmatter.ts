import { startOfFile } from '../../model/diagnostic.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { parseYaml } from '../document/yaml.js';

/** A Markdown file with the fields that its first lines declare. */
export interface Frontmatter {
  /** Empty if there are none, or if they are not valid. */
  readonly fields: JsonObject;
  readonly body: string;
}

const maxBytes = 64 * 1024;

/** Reads the YAML between two lines of `---` at the start of a text. */
export function readFrontmatter(text: string): Frontmatter {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(
    text.slice(0, maxBytes),
  );
  if (match === null) return { fields: {}, body: text };
  const document = parseYaml(quotedGlobs(match[1] as string), () => startOfFile);
  const { value } = document;
  const fields = document.problems.length === 0 && isObject(value) ? value : {};
  return { fields, body: text.slice(match[0].length) };
}

/** Cursor writes `globs: *.ts` without quotes, which is not YAML: an asterisk begins an alias there. */
function quotedGlobs(yaml: string): string {
  return yaml.replace(
    /^(globs:[ \t]*)([^\s"'[{|>].*)$/m,
    (_, key: string, value: string) => `${key}${JSON.stringify(value)}`,
  );
}
