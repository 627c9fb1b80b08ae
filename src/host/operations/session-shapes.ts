// What the operations of a session take and return.

import type { Package } from '../../model/package.js';
import type { RuleOrigin } from '../../model/rule.js';
import type { Tool } from '../../model/tool.js';
import type { Explanation } from '../host.js';
import { evidence, waiverMembers } from './operator-shapes.js';
import { reportedSet } from './set-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  exactly,
  integer,
  json,
  jsonObject,
  nullable,
  number,
  object,
  oneOf,
  open,
  optional,
  text,
  timestamp,
  union,
} from './shape.js';

export const diagnosticMembers = {
  code: text(),
  severity: oneOf(['error', 'warning', 'info']),
  message: anyText(),
  file: anyText(),
  range: object({ line: integer(), column: integer(), endLine: integer(), endColumn: integer() }),
  pointer: optional(anyText('JSON Pointer to the field.')),
  hint: optional(anyText()),
  related: optional(arrayOf(jsonObject('Another place: message, file and range.'))),
};
const diagnostic = object(diagnosticMembers);

export const programState = object({
  name: text(),
  state: oneOf(['stopped', 'starting', 'running', 'backoff', 'failed']),
  reason: optional(anyText()),
  exits: integer('Unexpected exits since it last ran stably.'),
});

export const packageStates = [
  'ready',
  'needs-setup',
  'unavailable',
  'needs-review',
  'disabled',
  'broken',
  'killed',
] as const;
export const sandboxLevels = ['enforced', 'degraded', 'declared-only', 'none'] as const;

/** The members of a package that every caller may see. */
export const packageMembers = {
  id: nullable(text('Null if the manifest is broken and has no id.')),
  version: anyText(),
  format: text(),
  path: text('Path of the manifest.'),
  state: oneOf(packageStates),
  reasons: arrayOf(anyText(), 'Why the package is in this state, with the next step.'),
  sandbox: oneOf(sandboxLevels),
  narrowed: optional(arrayOf(anyText(), 'What the operator narrowed it to.')),
  tools: arrayOf(object({ name: text(), exposed: text(), description: anyText() })),
  programs: optional(arrayOf(programState)),
};
export const packageSummary = object({
  scanned: integer('Files that were looked at.'),
  found: integer(),
  nested: integer('Manifests inside a package of the same format.'),
  invalid: integer(),
  disabled: integer(),
  unavailable: integer(),
});
export const packageReport = object({
  packages: arrayOf(
    object({
      ...packageMembers,
      nextStep: optional(anyText('The reason that is the command to run next.')),
      announcedChanges: optional(boolean('Whether its programs announced changes that nobody accepted yet.')),
      package: optional(open<Package>('The parsed manifest.')),
      digest: optional(text('SHA-256 of the parsed manifest and all files.')),
      diagnostics: arrayOf(diagnostic),
    }),
  ),
  set: optional(reportedSet),
  summary: packageSummary,
});

export const listedTool = object({
  name: text('PACKAGE/TOOL'),
  exposed: text('The name for clients that allow no slash.'),
  tool: open<Tool>('The definition of the tool.'),
  definition: text('Digest of the definition, and of what a set changes about it.'),
  renamed: optional(boolean('Whether a set gave it its name for clients.')),
  fixed: optional(jsonObject('Arguments that a set fixes; they are not in the input schema.')),
});

export const confirmation = object({
  token: text('Identifies the held call. It permits nothing by itself.'),
  kind: text(),
  reasons: arrayOf(anyText()),
  tool: text(),
  arguments: json(),
  evidence: arrayOf(evidence),
  expiresAt: text(),
  url: optional(text('The page where a person can decide.')),
});
const toolErrorShape = object({
  code: optional(anyText('The code that the tool reported; not a code of this host.')),
  message: optional(anyText()),
  details: optional(json()),
});
const failedResultShape = object({
  parts: arrayOf(jsonObject('An MCP content block.')),
  structured: optional(json()),
  meta: optional(jsonObject()),
});
export const answerErrorShape = object({
  code: text(),
  message: anyText(),
  hint: optional(anyText()),
  toolError: optional(toolErrorShape),
  toolResult: optional(failedResultShape),
});
export const binaryShape = object({
  encoding: exactly('base64'),
  mimeType: text('Such as image/png.'),
  bytes: number('Size of the content, not of its text.'),
});
const answerMembers = {
  tool: anyText(),
  callId: text('Id of the call in the audit log.'),
  durationMs: number(),
  replaced: optional(
    object({ arguments: jsonObject() }, 'A person approved the call with these arguments instead.'),
  ),
};
export const answer = union(
  [
    object({
      ...answerMembers,
      status: exactly('ok'),
      result: json(),
      binary: optional(binaryShape),
      log: optional(anyText()),
      warnings: arrayOf(anyText()),
      parts: optional(arrayOf(jsonObject('An MCP content block.'))),
      structured: optional(boolean()),
      meta: optional(jsonObject()),
    }),
    object({
      ...answerMembers,
      status: oneOf(['error', 'denied', 'timeout', 'external_auth_required']),
      error: answerErrorShape,
    }),
    object({
      ...answerMembers,
      status: exactly('confirmation_required'),
      confirmation,
      error: optional(answerErrorShape),
    }),
  ],
  'an answer',
);

export const explanation = open<Explanation>('The decision, its reasons, permissions and limits.');

export const messageVerdict = union(
  [
    object({ kind: exactly('go'), message: jsonObject(), changedBy: arrayOf(text()) }),
    object({ kind: exactly('abort'), reason: anyText(), by: text() }),
  ],
  'a verdict',
);

export const listedPrompt = object({
  name: text(),
  package: text(),
  kind: oneOf(['instructions', 'skill', 'template', 'server']),
  title: anyText(),
  description: anyText(),
  arguments: arrayOf(object({ name: text(), description: anyText(), required: boolean() })),
  entry: optional(jsonObject('The entry of the list of an MCP server.')),
  examples: arrayOf(anyText()),
  tags: arrayOf(anyText()),
});
export const listedResource = object({
  uri: text(),
  package: text(),
  isTemplate: boolean(),
  entry: jsonObject('The entry as the server lists it.'),
});

export const packageReviewMembers = {
  package: text(),
  path: text(),
  from: optional(anyText('Digest of the accepted state.')),
  to: anyText('Digest of the current state.'),
  widened: arrayOf(anyText(), 'What it may do now that it could not do before.'),
  reworded: arrayOf(anyText(), 'Changed text that models or people read.'),
  texts: arrayOf(
    object({
      subject: anyText('Such as `the tool count`.'),
      place: anyText('Such as `the description`.'),
      before: nullable(anyText('Null: it is new.')),
      after: nullable(anyText('Null: it was removed.')),
    }),
    'Changed text that models or people read, old and new.',
  ),
  narrowed: arrayOf(anyText(), 'What it may no longer do.'),
};
export const packageReview = object(packageReviewMembers);
export const sessionWaiver = object({
  ...waiverMembers,
  origin: nullable(open<RuleOrigin>('Where a rule is written: kind, file and line.')),
  active: boolean('False: it has no effect until the operator accepts it.'),
  verified: boolean('It was accepted with the PIN.'),
  unused: optional(anyText('Why a grant has no effect with these packages.')),
});
export const consoleLinkMembers = {
  url: text('It works once.'),
  expiresAt: timestamp('Until when it works: milliseconds since 1970.'),
};
export const consoleLink = object(consoleLinkMembers);
export const installMembers = {
  package: text(),
  steps: arrayOf(
    object({
      name: text(),
      status: oneOf(['done', 'already installed', 'needed']),
      detail: optional(anyText()),
    }),
  ),
};
export const installResult = object(installMembers);
