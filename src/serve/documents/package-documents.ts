// Documents about packages and manifests.
import {
  diagnosticMembers,
  installMembers,
  packageMembers,
  packageReviewMembers,
  packageSummary,
  sessionWaiver,
} from '../../host/operations/session-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  exactly,
  integer,
  jsonObject,
  nullable,
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

const packageInfo = object({
  schema: exactly('toolwharf/info@1'),
  package: optional(jsonObject('The parsed manifest; absent if it is broken.')),
  path: packageMembers.path,
  state: packageMembers.state,
  reasons: packageMembers.reasons,
  sandbox: packageMembers.sandbox,
  diagnostics: optional(arrayOf(object(diagnosticMembers), 'Only of a broken manifest.')),
});

export const packageDocuments = {
  'list@1': jsonDocument('list@1', 'Packages with their state and the reasons for it.', {
    packages: arrayOf(object(packageMembers)),
    summary: packageSummary,
    inactive: optional(arrayOf(sessionWaiver, 'Settings without effect until the operator accepts them.')),
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
  'change@1': jsonDocument('change@1', 'What was installed for a package.', installMembers),
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
