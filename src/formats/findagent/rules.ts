import type { Bundle } from '../../model/bundle.js';
import type { JsonObject } from '../../model/json.js';
import { pathName } from '../check.js';
import { checkCode } from './code-rules.js';
import type { FindagentReport } from './codes.js';
import { checkDelivery } from './delivery-rules.js';
import { checkGuardrails } from './guardrail-rules.js';
import { listOf } from './manifest-fields.js';
import { checkSkills } from './skill-rules.js';
import { checkSlots } from './slot-rules.js';
import { checkTools } from './tool-rules.js';

/** Rules that the schema cannot express. Values of the wrong type are skipped: the schema already reports them. */
export function checkRules(report: FindagentReport, manifest: JsonObject, bundle: Bundle): void {
  checkBlank(report, manifest);
  checkTools(report, manifest);
  checkSlots(report, manifest);
  checkGuardrails(report, manifest);
  checkDelivery(report, manifest);
  checkSkills(report, manifest, bundle);
  checkCode(report, manifest, bundle);
}

function checkBlank(report: FindagentReport, manifest: JsonObject): void {
  const places = [
    ['name'],
    ['system_prompt'],
    ...listOf(manifest.example_prompts).map((_, index) => ['example_prompts', index]),
  ];
  for (const path of places) {
    const [field = '', index] = path;
    const value = index === undefined ? manifest[field] : listOf(manifest[field])[Number(index)];
    if (typeof value !== 'string' || value.trim() !== '') continue;
    report.at('findagent.blank-text', path, `${pathName(path)} is blank`, {
      hint: 'write some text, or remove it',
    });
  }
}
