// Documents about packages that somebody wants to publish.
import {
  anyText,
  arrayOf,
  exactly,
  integer,
  isoTime,
  nullable,
  object,
  oneOf,
  optional,
  text,
  union,
} from '../../host/operations/shape.js';
import {
  contributionDecisions,
  contributionSeverities,
  contributionStages,
} from '../../model/contribution.js';
import { jsonDocument } from './json-document.js';

const finding = object({
  code: text('Permanent name of this kind of finding.'),
  severity: oneOf(contributionSeverities),
  stage: oneOf(contributionStages),
  message: anyText(),
  file: anyText('Path inside the package.'),
  range: object({ line: integer(), column: integer(), endLine: integer(), endColumn: integer() }),
  pointer: optional(anyText('JSON Pointer to the field.')),
  hint: optional(anyText()),
});

const model = union(
  [
    object({ status: exactly('checked'), model: anyText(), texts: integer() }),
    object({ status: exactly('not-checked') }),
    object({ status: exactly('failed'), model: anyText(), reason: anyText() }),
  ],
  'whether a model read the texts',
);

const verdictMembers = {
  rules: text('Version of the rules.'),
  decision: oneOf(contributionDecisions),
  package: nullable(object({ format: text(), id: text(), version: anyText(), tools: arrayOf(text()) })),
  contentDigest: text('SHA-256 over the paths and contents of all files.'),
  files: integer(),
  model,
  findings: arrayOf(finding),
};

const reviewEntry = object({
  id: text(),
  sha256: text('Of the archive.'),
  publisher: anyText(),
  submittedAt: isoTime(),
  verdict: object(verdictMembers),
  review: optional(
    object({
      decision: oneOf(['approved', 'rejected']),
      reviewer: anyText(),
      at: isoTime(),
      note: optional(anyText()),
    }),
  ),
});

export const contributionDocuments = {
  'contribute@1': jsonDocument('contribute@1', 'What the checks before publishing find.', {
    packages: arrayOf(object({ file: anyText(), ...verdictMembers })),
    problems: arrayOf(
      object({
        code: text(),
        severity: oneOf(['error', 'warning', 'info']),
        message: anyText(),
        file: anyText(),
      }),
    ),
    summary: object({ packages: integer(), pass: integer(), review: integer(), reject: integer() }),
  }),
  'publish@1': jsonDocument('publish@1', 'What became of a package that somebody published.', {
    status: oneOf(['published', 'exists', 'waits-for-review', 'saved', ...contributionDecisions]),
    name: optional(text()),
    version: optional(anyText()),
    review: optional(text('The id of the package in the review queue.')),
    file: optional(anyText('Where the signed publication was saved, for the signatures of others.')),
    findings: optional(arrayOf(finding)),
    verdict: optional(object(verdictMembers)),
  }),
  'registry-review@1': jsonDocument(
    'registry-review@1',
    'Packages that wait for a person before they are published.',
    {
      entries: arrayOf(reviewEntry),
    },
  ),
};
