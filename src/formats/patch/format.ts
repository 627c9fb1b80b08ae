import { validatePatch } from '../../generated/patch.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { FormatParser, ParseResult } from '../../model/format.js';
import { deepFreeze, isObject, type JsonObject } from '../../model/json.js';
import { checkFields, checkSchema } from '../check.js';
import { SourceText } from '../document/source-text.js';
import { parseYaml } from '../document/yaml.js';
import { Report } from '../report.js';
import { checkText } from '../text-check.js';
import { readTextFile } from '../text-file.js';
import { patchCodes } from './codes.js';
import { lower } from './lower.js';
import { readManifestBlock } from './manifest-block.js';
import { checkPython } from './python-check.js';
import { checkRules } from './rules.js';
import schema from './schema.json' with { type: 'json' };

const checked = { schema: schema as unknown as JsonObject, validate: validatePatch };

/** The Patch format: single-file Python tools with a YAML manifest between `# ---` comment lines. */
export const patch: FormatParser = {
  schema: checked.schema,

  readFields(text) {
    const block = readManifestBlock(new SourceText(text));
    if ('yaml' in block) return parseYaml(block.yaml, block.rangeOf);
    return { value: undefined, locate: () => block.range };
  },

  parse(bundle): ParseResult {
    const read = readTextFile(bundle, bundle.manifest);
    if (!read.ok) return { diagnostics: read.diagnostics };
    const source = new SourceText(read.text);
    const block = readManifestBlock(source);
    if ('code' in block) {
      return { diagnostics: [{ ...block, severity: patchCodes[block.code], file: read.file }] };
    }
    const document = parseYaml(block.yaml, block.rangeOf);
    const report = new Report(read.file, document, patchCodes);
    report.addSyntaxProblems(block.rangeOf);
    if (document.value === undefined) return { diagnostics: report.diagnostics };

    const valid = checkSchema(report, document, checked);
    checkFields(report, document.value, checked.schema);
    checkText(report, document.value);
    if (isObject(document.value)) {
      checkRules(report, document.value);
      checkPython(report, source, document.value);
    }
    if (!isObject(document.value)) return { diagnostics: report.diagnostics };
    // A tool in development may run without a version. All other errors prevent it.
    const errors = report.diagnostics.filter((it) => it.severity === 'error');
    const runnable = valid ? errors.length === 0 : lacksOnlyVersion(document.value, errors);
    if (!runnable) return { diagnostics: report.diagnostics };
    // Without this, starting the process ahead of the call could already have effects.
    const waitsForInput = !report.diagnostics.some(
      (it) => it.code === 'patch.no-stdin' || it.code === 'patch.import-side-effect',
    );
    return {
      package: deepFreeze(lower(document.value, bundle.manifest, waitsForInput)),
      diagnostics: report.diagnostics,
    };
  },
};

/** Whether the only error is a missing version. A misspelled version field has another pointer and does not count. */
function lacksOnlyVersion(manifest: JsonObject, errors: readonly Diagnostic[]): boolean {
  const atRoot = errors.every((it) => it.code === 'schema.required' && it.pointer === '');
  return atRoot && manifest.version === undefined && checked.validate({ ...manifest, version: '0.0.0' });
}
