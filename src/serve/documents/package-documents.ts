// Documents about packages and manifests.
import {
  diagnosticMembers,
  packageMembers,
  packageReviewMembers,
  packageSummary,
  sessionWaiver,
} from '../../host/operations/session-shapes.js';
import { reportedSet } from '../../host/operations/set-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  exactly,
  integer,
  jsonObject,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  union,
} from '../../host/operations/shape.js';
import { attentionEntry } from '../print/attention.js';
import { jsonDocument } from './json-document.js';

const place = { line: integer(), column: integer(), endLine: integer(), endColumn: integer() };
const { range: _range, related: _related, ...flatMembers } = diagnosticMembers;
const flatDiagnostic = object({
  ...flatMembers,
  ...place,
  related: optional(arrayOf(object({ message: anyText(), file: optional(anyText()), ...place }))),
});

const caseStatus = oneOf(['passed', 'failed', 'updated', 'skipped']);

const packageInfo = object({
  schema: exactly('toolwharf/info@1'),
  package: optional(jsonObject('The parsed manifest; absent if it is broken.')),
  path: packageMembers.path,
  state: packageMembers.state,
  reasons: packageMembers.reasons,
  sandbox: packageMembers.sandbox,
  narrowed: packageMembers.narrowed,
  diagnostics: optional(arrayOf(object(diagnosticMembers), 'Only of a broken manifest.')),
});

export const packageDocuments = {
  'list@1': jsonDocument('list@1', 'Packages with their state and the reasons for it.', {
    packages: arrayOf(object(packageMembers)),
    set: optional(reportedSet),
    summary: packageSummary,
    inactive: optional(arrayOf(sessionWaiver, 'Settings without effect until the operator accepts them.')),
    unusedGrants: optional(arrayOf(anyText(), 'Grants of the command line without effect.')),
  }),
  'attention@1': jsonDocument('attention@1', 'What needs a decision or setup, most urgent first.', {
    items: arrayOf(attentionEntry),
  }),
  'info@1': {
    description: 'One package, or all packages at a path.',
    shape: union(
      [packageInfo, object({ schema: exactly('toolwharf/info@1'), packages: arrayOf(packageInfo) })],
      'one package or several',
    ),
  },
  'validate@1': jsonDocument('validate@1', 'Manifests with the problems that were found.', {
    files: arrayOf(
      object({
        file: anyText(),
        format: nullable(text('Null if no format fits.')),
        ok: boolean('False if a problem is an error.'),
        package: optional(object({ id: text(), version: anyText(), tools: arrayOf(text()) })),
        diagnostics: arrayOf(flatDiagnostic),
      }),
    ),
    summary: object({ files: integer(), errors: integer(), warnings: integer() }),
  }),
  'test@1': jsonDocument('test@1', 'The cases of packages, and whether they passed.', {
    packages: arrayOf(
      object({
        package: text(),
        file: anyText(),
        unavailable: arrayOf(anyText(), 'Why none of its cases could run; empty if they ran.'),
        cases: arrayOf(
          object({
            name: anyText(),
            tool: anyText(),
            file: anyText(),
            line: integer(),
            status: caseStatus,
            reasons: arrayOf(anyText()),
            durationMs: number(),
          }),
        ),
      }),
    ),
    summary: object({
      passed: integer(),
      failed: integer(),
      updated: integer(),
      skipped: integer(),
      unavailable: integer('Packages that cannot run.'),
    }),
  }),
  'dev@1': jsonDocument('dev@1', 'The packages and tools of a session of an author.', {
    packages: arrayOf(
      object({ id: nullable(text()), path: anyText(), state: text(), reasons: arrayOf(anyText()) }),
    ),
    tools: arrayOf(object({ name: text(), description: anyText(), input: jsonObject() })),
  }),
  'dev-event@1': {
    description: 'What happened in the loop of an author.',
    shape: union(
      [
        object({ schema: exactly('toolwharf/dev-event@1'), event: exactly('reload'), line: anyText() }),
        object({
          schema: exactly('toolwharf/dev-event@1'),
          event: exactly('check'),
          errors: integer(),
          diagnostics: arrayOf(jsonObject()),
        }),
      ],
      'an event',
    ),
    isStream: true as const,
  },
  'init@1': jsonDocument('init@1', 'The files of a new package.', {
    format: text(),
    folder: text(),
    files: arrayOf(text('Absolute path.')),
    written: boolean('False with --dry-run.'),
  }),
  'export@1': jsonDocument('export@1', 'The files of an exported agent.', {
    package: object({ id: text(), version: anyText() }),
    target: text(),
    folder: text(),
    written: boolean('False with --dry-run.'),
    files: arrayOf(object({ path: text(), status: oneOf(['new', 'same', 'changed']) })),
    steps: arrayOf(anyText(), 'What to do next.'),
    warnings: arrayOf(anyText()),
  }),
  'needs-review@1': jsonDocument('needs-review@1', 'The packages that need review.', {
    packages: arrayOf(
      object({ id: packageMembers.id, path: packageMembers.path, reasons: packageMembers.reasons }),
    ),
  }),
  'review@1': jsonDocument('review@1', 'What changed in a package, and whether it is accepted.', {
    ...packageReviewMembers,
    status: oneOf(['accepted', 'needs-review', 'up-to-date']),
  }),
  'switch@1': jsonDocument('switch@1', 'Whether a package is enabled.', {
    package: text(),
    enabled: boolean(),
    changed: boolean('False if nothing changed.'),
  }),
};
