import { maxBytes } from '../../../formats/document/document.js';
import { parseJson } from '../../../formats/document/json.js';
import { SourceText } from '../../../formats/document/source-text.js';
import { parseToml } from '../../../formats/document/toml.js';
import { parseYaml } from '../../../formats/document/yaml.js';
import type { FormatParser, ManifestFields } from '../../../model/format.js';
import type { PackageFile } from '../package-files.js';
import type { ContributedText, TextRole } from './contributed-text.js';
import { fieldTexts } from './field-texts.js';

/** Files of servers beside a manifest, whose texts are part of it. */
const sidecars = /^(?:\.mcp\.json|server\.json|manifest\.json|mcp\.json)$/;
const markdown = /\.(?:md|mdx|markdown|txt|rst)$/i;
const promptNames = /(?:^|\/)(?:skill|prompt|instructions|system)[\w.-]{0,40}\.(?:md|mdx|markdown|txt)$/i;
const skillFolder = /(?:^|\/)(?:skills?|prompts?)\//i;

/** Every text of a package that models or people read: the fields of its manifest, its prompts and its pages. */
export function packageTexts(
  files: readonly PackageFile[],
  manifest: string,
  format: Pick<FormatParser, 'readFields'>,
): ContributedText[] {
  return files.flatMap(({ path, text }) => {
    if (text === undefined) return [];
    if (path === manifest) return text.length > maxBytes ? [] : fieldTexts(format.readFields(text), path);
    return textsOf(path, text);
  });
}

/** Whether the fields of a file are texts of the package, and not data for its code. */
export function hasTextFields(path: string, manifest: string): boolean {
  return path === manifest || isSidecar(path);
}

function isSidecar(path: string): boolean {
  return sidecars.test(path.slice(path.lastIndexOf('/') + 1));
}

function textsOf(path: string, text: string): ContributedText[] {
  if (isSidecar(path)) {
    const document = parseDocument(path, text);
    return document === undefined ? [] : fieldTexts(document, path);
  }
  if (!markdown.test(path)) return [];
  const role = promptNames.test(path) || skillFolder.test(path) ? 'prompt' : 'page';
  return paragraphs(path, text, role);
}

/** The document of a file by its name; undefined if it has another syntax. */
export function parseDocument(path: string, text: string): ManifestFields | undefined {
  if (text.length > maxBytes) return undefined;
  const source = new SourceText(text);
  if (path.endsWith('.json')) return parseJson(text);
  if (path.endsWith('.toml')) return parseToml(text);
  if (/\.ya?ml$/.test(path)) return parseYaml(text, (start, end) => source.range(start, end));
  return undefined;
}

/** Parts of a page, so that findings have a line. A directive may go over a line break, so lines stay together. */
function paragraphs(file: string, text: string, role: TextRole): ContributedText[] {
  const source = new SourceText(text);
  const found: ContributedText[] = [];
  let start = 0;
  for (const part of text.split(/\n[ \t]*\r?\n/)) {
    const at = text.indexOf(part, start);
    const from = at + (part.length - part.trimStart().length);
    const firstLine = part.trimStart().split('\n', 1)[0] as string;
    if (part.trim() !== '')
      found.push({
        text: part,
        role,
        file,
        get range() {
          return source.range(from, from + firstLine.length);
        },
        field: 'this paragraph',
        isKey: false,
      });
    start = at + part.length;
  }
  return found;
}
