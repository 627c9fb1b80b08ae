import { amountNames } from '../../model/guardrails.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import { checkInnerSchema } from '../inner-schema.js';
import { isLinear } from '../regex.js';
import type { Report } from '../report.js';
import { suggest } from '../suggest.js';
import { declaredInputs } from './inputs.js';
import { listOf, objectOf, toolEntries, toolNames } from './shape.js';

export function checkGuardrails(report: Report, manifest: JsonObject): void {
  const guardrails = objectOf(manifest.guardrails);
  const { input, output, actions } = guardrails;
  checkPatterns(report, listOf(objectOf(input).deny_patterns));
  checkScan(report, output);
  const schema = objectOf(output).schema;
  if (isObject(schema)) checkInnerSchema(report, schema, ['guardrails', 'output', 'schema']);
  checkToolRules(report, manifest, objectOf(actions));
}

const off = new Set([
  'false',
  'no',
  'off',
  'n',
  'f',
  '0',
  'disabled',
  'disable',
  'none',
  'never',
  'null',
  '',
]);

/** The scan always runs. Whoever tries to switch it off is told so, however they spell it. */
function checkScan(report: Report, output: Json | undefined): void {
  if (!isObject(output) || !Object.hasOwn(output, 'secret_leak_scan')) return;
  const value = output.secret_leak_scan;
  const path = ['guardrails', 'output', 'secret_leak_scan'];
  if (value === true) return;
  const denied =
    value === false ||
    value === 0 ||
    value === null ||
    (typeof value === 'string' && off.has(value.trim().toLowerCase()));
  if (denied) {
    const message = `secret_leak_scan is ${show(value)}; the scan is mandatory and cannot be switched off`;
    report.at('findagent.secret-scan-off', path, message, { hint: 'remove the field, or write true' });
  } else {
    report.at('schema.type', path, `guardrails.output.secret_leak_scan must be true, not ${show(value)}`, {
      hint: 'remove the field, or write true',
    });
  }
}

/** Patterns run on a linear-time engine; what it cannot express runs apart, under a deadline. */
function checkPatterns(report: Report, patterns: readonly Json[]): void {
  for (const [index, pattern] of patterns.entries()) {
    if (typeof pattern !== 'string' || pattern === '') continue;
    const path = ['guardrails', 'input', 'deny_patterns', index];
    const reason = compileError(pattern);
    if (reason !== undefined) {
      report.at(
        'findagent.deny-pattern-invalid',
        path,
        `${show(pattern)} is no regular expression: ${reason}`,
        { hint: 'write "\\\\" before a character that is meant as itself' },
      );
      continue;
    }
    if (isLinear(pattern)) continue;
    const message = `${show(pattern)} needs look-around, back-references or large counts, which the linear-time engine lacks`;
    report.at('findagent.deny-pattern-slow', path, message, {
      hint: 'rewrite it without them; until then it runs under a deadline, and a timeout refuses the call',
    });
  }
}

function compileError(pattern: string): string | undefined {
  try {
    new RegExp(pattern.replace(/^\(\?i\)/, ''), 'i');
    return undefined;
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    return text.slice(text.lastIndexOf(': ') + 2).toLowerCase() || 'it does not compile';
  }
}

function checkToolRules(report: Report, manifest: JsonObject, rules: JsonObject): void {
  const names = toolNames(manifest);
  let told = 0;
  for (const [name, rule] of Object.entries(rules)) {
    const path = ['guardrails', 'actions', name];
    if (names !== undefined && !names.includes(name)) {
      const meant = ++told > 20 ? undefined : suggest(name, names);
      report.at(
        'findagent.rule-unknown-tool',
        path,
        `guardrails.actions has a rule for ${show(name)}, which is no tool`,
        {
          hint: meant === undefined ? 'name a tool of "tools"' : `did you mean "${meant}"?`,
          spot: 'key',
        },
      );
      continue;
    }
    const tool = toolEntries(manifest).find(([, it]) => it.name === name)?.[1];
    const declared = declaredInputs(tool?.input_schema);
    const cap = objectOf(rule).max_amount;
    if (typeof cap !== 'number' || cap < 0 || declared === undefined) continue;
    if (amountNames.some((it) => declared.names.has(it))) continue;
    report.at(
      'findagent.max-amount-unused',
      [...path, 'max_amount'],
      `tool ${show(name)} has no input that max_amount caps`,
      {
        hint: `call the input ${amountNames.slice(0, -1).join(', ')} or ${amountNames.at(-1)}`,
      },
    );
  }
}
