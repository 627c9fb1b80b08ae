// What the operations on package registries take and return.
import {
  contributionDecisions,
  contributionSeverities,
  contributionStages,
} from '../../model/contribution.js';
import {
  anyText,
  arrayOf,
  boolean,
  exactly,
  integer,
  isoTime,
  nullable,
  object,
  oneOf,
  optional,
  text,
  union,
} from './shape.js';

const texts = (description?: string) => arrayOf(anyText(), description);
const problem = object({ registry: text(), message: anyText() });

export const registryStatus = object({
  name: text('As the operator calls it.'),
  url: nullable(text()),
  path: nullable(text('Its folder.')),
  priority: integer('Higher first.'),
  namespaces: texts('Namespaces that are looked up only here.'),
  head: nullable(
    object({
      size: integer('Entries in its transparency log.'),
      root: text('Hash of the tree, in hex.'),
      seenAt: isoTime('When this machine saw it.'),
    }),
  ),
  expired: texts('Its files that are used although they have expired.'),
  problem: nullable(anyText('Why it cannot be used now.')),
});

const maxFound = 100;
export const registrySearch = object({
  words: anyText('All must occur; the last one may be the beginning of a word.'),
  limit: optional(integer('Default: 20.', { minimum: 1, maximum: maxFound })),
});

const summaryMembers = {
  title: anyText(),
  description: anyText(),
  format: anyText(),
  tags: texts(),
  tools: texts(),
};
const markMembers = {
  withdrawn: nullable(anyText('Why its publisher withdrew it.')),
  quarantined: nullable(anyText('Why the registry warns about it.')),
};
export const registrySearchResult = object({
  found: arrayOf(
    object({
      registry: text(),
      name: text('NAMESPACE/NAME'),
      version: text('Its newest release.'),
      ...summaryMembers,
      ...markMembers,
    }),
    'The best first.',
  ),
  problems: arrayOf(problem, 'Registries that cannot be asked now.'),
});

export const registryPackage = object({
  registry: text(),
  name: text('NAMESPACE/NAME'),
  summary: nullable(object(summaryMembers)),
  releases: arrayOf(
    object({
      version: text(),
      bytes: integer(),
      sha256: text('Of its archive, in hex.'),
      ...markMembers,
      hasStatements: boolean('Whether there are signed statements about it.'),
    }),
    'Newest first.',
  ),
  expired: texts('Files of the registry that are used although they have expired.'),
});

const finding = object({
  code: text(),
  severity: oneOf(contributionSeverities),
  stage: oneOf(contributionStages),
  message: anyText(),
  file: anyText('Path inside the package.'),
  range: object({ line: integer(), column: integer(), endLine: integer(), endColumn: integer() }),
  pointer: optional(anyText('JSON pointer to the field.')),
  hint: optional(anyText()),
});

const model = union(
  [
    object({ status: exactly('checked'), model: anyText(), texts: integer() }),
    object({ status: exactly('not-checked') }),
    object({ status: exactly('failed'), model: anyText(), reason: anyText() }),
  ],
  'what a language model said',
);

export const publicationReviews = object({
  registries: texts('Registries whose queue this host can read.'),
  waiting: arrayOf(
    object({
      registry: text(),
      id: text(),
      sha256: text('Of the archive that was checked, in hex.'),
      publisher: anyText(),
      submittedAt: isoTime(),
      verdict: object({
        rules: anyText('Version of the rules.'),
        decision: oneOf(contributionDecisions),
        package: nullable(object({ format: anyText(), id: anyText(), version: anyText(), tools: texts() })),
        contentDigest: anyText(),
        files: integer(),
        model,
        findings: arrayOf(finding),
      }),
    }),
    'Oldest first.',
  ),
  problems: arrayOf(problem),
});

const decision = oneOf(['approved', 'rejected']);
export const reviewDecisionRequest = object({
  registry: text(),
  id: text(),
  sha256: text('`sha256` of the review, so that the decision is about exactly that archive.'),
  decision,
  note: optional(anyText('At most 500 characters. The publisher gets it.')),
});
export const decidedReview = object({ registry: text(), id: text(), decision, reviewer: anyText() });
