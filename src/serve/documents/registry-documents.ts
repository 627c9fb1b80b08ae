// Documents about registries.
import {
  anyText,
  arrayOf,
  boolean,
  integer,
  isoTime,
  jsonObject,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
} from '../../host/operations/shape.js';
import { contributionDecisions } from '../../model/contribution.js';
import { jsonDocument } from './json-document.js';

const releaseMembers = {
  version: text(),
  sha256: text('Of the archive.'),
  bytes: integer(),
  offered: boolean('Whether `latest` and ranges may choose it.'),
  yanked: optional(anyText('Why its publisher withdrew it.')),
  quarantined: optional(object({ reason: anyText(), time: isoTime() })),
};

const expired = arrayOf(anyText(), 'Files that were used although they have expired.');

export const registryDocuments = {
  'registry@1': jsonDocument('registry@1', 'What a command did to a registry.', {
    did: text(),
    facts: jsonObject('Names, keys, tokens and counts; which ones depends on the subcommand.'),
  }),
  'search@1': jsonDocument('search@1', 'Packages of the configured registries, the best ones first.', {
    words: anyText(),
    registries: arrayOf(text(), 'The names of the registries that were asked.'),
    packages: arrayOf(
      object({
        name: text(),
        version: text(),
        title: anyText(),
        description: anyText(),
        format: anyText(),
        tags: arrayOf(anyText()),
        tools: arrayOf(anyText()),
        registry: text(),
        source: text('What `plan` and `install` take.'),
        score: number('Higher is better.'),
        yanked: optional(anyText('Why its publisher withdrew it.')),
        quarantined: optional(anyText('Why the registry warns about it.')),
      }),
    ),
    expired,
  }),
  'registry-package@1': jsonDocument(
    'registry-package@1',
    'What a registry says about a package, and about the version that was asked for.',
    {
      name: text(),
      registry: text(),
      source: text('What `plan` and `install` take.'),
      ...releaseMembers,
      verdict: nullable(
        object({
          decision: oneOf(contributionDecisions),
          review: nullable(oneOf(['approved', 'rejected'])),
        }),
      ),
      releases: arrayOf(object(releaseMembers), 'Newest first.'),
      expired,
    },
  ),
};
