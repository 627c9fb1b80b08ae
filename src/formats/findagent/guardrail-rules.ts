import { amountInputNames } from '../../model/guardrails.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { personalDataCategories, unknownPersonalData } from '../../model/personal-data.js';
import { show } from '../check.js';
import { checkInnerSchema } from '../inner-schema.js';
import { isLinearRegex } from '../linear-regex.js';
import { suggest } from '../suggest.js';
import type { FindagentReport } from './codes.js';
import { declaredInputs } from './inputs.js';
import { listOf, objectOf, toolEntries, toolNames } from './manifest-fields.js';

export function checkGuardrails(report: FindagentReport, manifest: JsonObject): void {
  const guardrails = objectOf(manifest.guardrails);
  const { input, output, actions } = guardrails;
  checkPatterns(report, listOf(objectOf(input).deny_patterns));
  checkPersonalData(report, listOf(objectOf(input).pii_redaction));
  checkScan(report, output);
  const schema = objectOf(output).schema;
  if (isObject(schema)) checkInnerSchema(report, schema, ['guardrails', 'output', 'schema']);
  checkToolRules(report, manifest, objectOf(actions));
}

/** The list of categories is open. A typing error would silently leave data in, so it is an error. */
function checkPersonalData(report: FindagentReport, categories: readonly Json[]): void {
  for (const [index, category] of categories.entries()) {
    if (typeof category !== 'string' || unknownPersonalData([category]).length === 0) continue;
    const path = ['guardrails', 'input', 'pii_redaction', index];
    const meant = suggest(category, personalDataCategories);
    if (meant !== undefined) {
      report.at('findagent.personal-data-typo', path, `unknown kind of personal data ${show(category)}`, {
        hint: `did you mean "${meant}"?`,
      });
      continue;
    }
    const message = `this host cannot find personal data of the kind ${show(category)}; it stays in the input`;
    report.at('findagent.personal-data-unknown', path, message, {
      hint: `it can remove ${personalDataCategories.join(', ')}; add deny_patterns for other data`,
    });
  }
}

const falsyTexts = new Set([
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

/** The scan always runs. Every spelling of "off" is an error, so that an author never believes it is disabled. */
function checkScan(report: FindagentReport, output: Json | undefined): void {
  if (!isObject(output) || !Object.hasOwn(output, 'secret_leak_scan')) return;
  const value = output.secret_leak_scan;
  const path = ['guardrails', 'output', 'secret_leak_scan'];
  if (value === true) return;
  const disabled =
    value === false ||
    value === 0 ||
    value === null ||
    (typeof value === 'string' && falsyTexts.has(value.trim().toLowerCase()));
  if (disabled) {
    const message = `secret_leak_scan is ${show(value)}; the scan is mandatory and cannot be disabled`;
    report.at('findagent.secret-scan-off', path, message, { hint: 'remove the field, or write true' });
  } else {
    report.at('schema.type', path, `guardrails.output.secret_leak_scan must be true, not ${show(value)}`, {
      hint: 'remove the field, or write true',
    });
  }
}

/** Patterns run on a linear-time engine. The host rejects every call if a pattern does not compile there. */
function checkPatterns(report: FindagentReport, patterns: readonly Json[]): void {
  for (const [index, pattern] of patterns.entries()) {
    if (typeof pattern !== 'string' || pattern === '') continue;
    const path = ['guardrails', 'input', 'deny_patterns', index];
    const reason = compileError(pattern);
    if (reason !== undefined) {
      report.at(
        'findagent.deny-pattern-invalid',
        path,
        `${show(pattern)} is not a valid regular expression: ${reason}`,
        { hint: 'write "\\\\" before a special character that is meant literally' },
      );
      continue;
    }
    if (isLinearRegex(pattern)) continue;
    const message = `${show(pattern)} uses look-around, back-references or large counts, which the linear-time engine does not support`;
    report.at('findagent.deny-pattern-slow', path, message, {
      hint: 'rewrite it without them; as written, the host cannot enforce it and every call fails',
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

function checkToolRules(report: FindagentReport, manifest: JsonObject, rules: JsonObject): void {
  const names = toolNames(manifest);
  let reported = 0;
  for (const [name, rule] of Object.entries(rules)) {
    const path = ['guardrails', 'actions', name];
    if (names !== undefined && !names.includes(name)) {
      const meant = ++reported > 20 ? undefined : suggest(name, names);
      report.at(
        'findagent.rule-unknown-tool',
        path,
        `guardrails.actions has a rule for ${show(name)}, but there is no tool with this name`,
        {
          hint: meant === undefined ? 'use the name of a tool in "tools"' : `did you mean "${meant}"?`,
          spot: 'key',
        },
      );
      continue;
    }
    const tool = toolEntries(manifest).find(([, it]) => it.name === name)?.[1];
    const declared = declaredInputs(tool?.input_schema);
    const maxAmount = objectOf(rule).max_amount;
    if (typeof maxAmount !== 'number' || maxAmount < 0 || declared === undefined) continue;
    if (amountInputNames.some((it) => declared.names.has(it))) continue;
    report.at(
      'findagent.max-amount-unused',
      [...path, 'max_amount'],
      `max_amount has no effect: tool ${show(name)} has no input for an amount`,
      {
        hint: `name the input ${amountInputNames.slice(0, -1).join(', ')} or ${amountInputNames.at(-1)}`,
      },
    );
  }
}
