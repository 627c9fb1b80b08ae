import schema from '../../../schemas/patch.schema.json' with { type: 'json' };
import { validatePatch } from '../../generated/patch.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Format, ParseResult } from '../../model/format.js';
import { deepFreeze, isObject, type JsonObject } from '../../model/json.js';
import { checkFields, checkSchema } from '../check.js';
import { SourceText } from '../document/text.js';
import { readYaml } from '../document/yaml.js';
import { finding, Report } from '../report.js';
import { readText } from '../source.js';
import { checkText } from '../text-check.js';
import { readBlock } from './block.js';
import { checkBody } from './body.js';
import { claimPatch } from './claim.js';
import { lower } from './lower.js';
import { checkRules } from './rules.js';

const checked = { schema: schema as unknown as JsonObject, validate: validatePatch };

/** Single-file Python tools with YAML in `# ---` comments. */
export const patch: Format = {
  name: 'patch',

  claim: claimPatch,

  parse(bundle): ParseResult {
    const read = readText(bundle, bundle.manifest);
    if (!read.ok) return { diagnostics: read.diagnostics };
    const source = new SourceText(read.text);
    const block = readBlock(source);
    if ('code' in block) {
      return { diagnostics: [finding(block.code, read.file, block.range, block.message, block.hint)] };
    }
    const document = readYaml(block.yaml, block.place);
    const report = new Report(read.file, document);
    for (const problem of document.problems) {
      report.inFile(
        problem.code,
        read.file,
        block.place(problem.start, problem.end),
        problem.message,
        problem.hint,
      );
    }
    if (document.value === undefined) return { diagnostics: report.diagnostics };

    const sound = checkSchema(report, document, checked);
    checkFields(report, document.value, checked.schema);
    checkText(report, document.value);
    if (isObject(document.value)) {
      checkRules(report, document.value);
      checkBody(report, source, document.value);
    }
    if (!isObject(document.value)) return { diagnostics: report.diagnostics };
    // A tool under development may lack its version; everything else must be right before it can run.
    const errors = report.diagnostics.filter((it) => it.severity === 'error');
    const runnable = sound ? errors.length === 0 : lacksOnlyVersion(document.value, errors);
    if (!runnable) return { diagnostics: report.diagnostics };
    // A file that does not read its input would run before anybody asked.
    const reads = !report.diagnostics.some(
      (it) => it.code === 'patch.no-stdin' || it.code === 'patch.import-side-effect',
    );
    return {
      package: deepFreeze(lower(document.value, bundle.manifest, reads)),
      diagnostics: report.diagnostics,
    };
  },
};

/** A misspelt version is a mistake to mend and points at its word; one that is not there points at the whole. */
function lacksOnlyVersion(manifest: JsonObject, errors: readonly Diagnostic[]): boolean {
  const whole = errors.every((it) => it.code === 'schema.required' && it.pointer === '');
  return whole && manifest.version === undefined && checked.validate({ ...manifest, version: '0.0.0' });
}
