import type { Diagnostic } from '../../model/diagnostic.js';
import type { Json } from '../../model/json.js';

const levels = { error: 'error', warning: 'warning', info: 'note' } as const;

/** SARIF 2.1.0, as code-scanning services read it. */
export function toSarif(diagnostics: readonly Diagnostic[], version: string): Json {
  const codes = [...new Set(diagnostics.map((it) => it.code))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'toolwharf', version, rules: codes.map((id) => ({ id })) } },
        columnKind: 'utf16CodeUnits',
        results: diagnostics.map((it) => ({
          ruleId: it.code,
          ruleIndex: codes.indexOf(it.code),
          level: levels[it.severity],
          message: { text: it.hint === undefined ? it.message : `${it.message}; ${it.hint}` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: it.file.split('/').map(encodeURIComponent).join('/') },
                region: {
                  startLine: it.range.line,
                  startColumn: it.range.column,
                  endLine: it.range.endLine,
                  endColumn: it.range.endColumn,
                },
              },
            },
          ],
        })),
      },
    ],
  };
}
