// Reads and writes the manifest of each format, so that one test suite can change all of them.
import { parse as parseToml, stringify as writeToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import type { FormatName } from '../../../src/formats/built-in-formats.js';
import type { Json, JsonObject } from '../../../src/model/json.js';

export interface Notation {
  read(text: string): Json;
  /** `original` has the other content of the file, such as code. */
  write(value: Json, original: string): string;
}

const json: Notation = {
  read: (text) => JSON.parse(text),
  write: (value) => JSON.stringify(value, null, 2),
};

export const notations: Readonly<Record<FormatName, Notation>> = {
  patch: {
    read: (text) => parseYaml(cut(text).yaml, { schema: 'core' }),
    // Every JSON document is also YAML.
    write(value, original) {
      const { before, after } = cut(original);
      const lines = JSON.stringify(value, null, 2).split('\n');
      return [...before, ...lines.map((line) => `# ${line}`), ...after].join('\n');
    },
  },
  talos: json,
  toolspace: json,
  findagent: json,
  nexo: {
    read: (text) => parseToml(text) as unknown as JsonObject,
    write: (value) => (isTable(value) ? writeToml(value) : ''),
  },
  mcp: json,
};

function isTable(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function cut(text: string): { before: string[]; yaml: string; after: string[] } {
  const lines = text.split('\n');
  const open = lines.findIndex((line) => line.trim() === '# ---');
  const close = lines.findIndex((line, index) => index > open && line.trim() === '# ---');
  return {
    before: lines.slice(0, open + 1),
    yaml: lines
      .slice(open + 1, close)
      .map((line) => line.replace(/^\s*# ?/, ''))
      .join('\n'),
    after: lines.slice(close),
  };
}
