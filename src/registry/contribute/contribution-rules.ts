import type { ContributionSeverity, ContributionStage } from '../../model/contribution.js';

/** Increased whenever a rule changes what it finds. It is part of each verdict. */
export const rulesVersion = 'toolwharf-rules/1';

interface RuleEntry {
  readonly stage: ContributionStage;
  readonly severity: ContributionSeverity;
}

const rule = (stage: ContributionStage, severity: ContributionSeverity): RuleEntry => ({ stage, severity });

/** Everything that the publishing checks can find themselves. docs/design/contribute.md has a row for each. */
export const contributionRules = {
  'contribute.manifest-invalid': rule('manifest', 'reject'),
  'contribute.unmet': rule('manifest', 'info'),
  'contribute.too-many-files': rule('manifest', 'reject'),
  'contribute.unreadable-file': rule('manifest', 'reject'),
  'contribute.no-version': rule('source', 'warn'),
  'contribute.other-name': rule('source', 'reject'),
  'contribute.other-version': rule('source', 'reject'),
  'contribute.source-name': rule('source', 'warn'),
  'contribute.source-version': rule('source', 'reject'),
  'contribute.source-unreadable': rule('source', 'warn'),
  'contribute.hidden-text': rule('text', 'reject'),
  'contribute.hidden-data': rule('text', 'warn'),
  'contribute.look-alike-word': rule('text', 'review'),
  'contribute.long-text': rule('text', 'review'),
  'contribute.file-name': rule('text', 'reject'),
  'contribute.instruction-override': rule('description', 'reject'),
  'contribute.hidden-directive': rule('description', 'reject'),
  'contribute.secrecy': rule('description', 'reject'),
  'contribute.exfiltration': rule('description', 'reject'),
  'contribute.encoded-payload': rule('description', 'reject'),
  'contribute.encoded-text': rule('description', 'review'),
  'contribute.tool-directive': rule('description', 'reject'),
  'contribute.tool-preference': rule('description', 'review'),
  'contribute.other-tool': rule('description', 'review'),
  'contribute.agent-manipulation': rule('description', 'reject'),
  'contribute.model-address': rule('description', 'review'),
  'contribute.covert-purpose': rule('description', 'review'),
  'contribute.not-checked-by-model': rule('model', 'review'),
  'contribute.model-failed': rule('model', 'reject'),
  'contribute.model-finding': rule('model', 'reject'),
  'contribute.secret': rule('code', 'reject'),
  'contribute.likely-secret': rule('code', 'warn'),
  'contribute.key-file': rule('code', 'reject'),
  'contribute.install-script': rule('code', 'review'),
  'contribute.import-effect': rule('code', 'review'),
  'contribute.decoded-code': rule('code', 'reject'),
  'contribute.dynamic-code': rule('code', 'review'),
  'contribute.obscured-code': rule('code', 'review'),
  'contribute.unchecked-code': rule('code', 'review'),
  'contribute.binary': rule('code', 'review'),
  'contribute.needless-file': rule('code', 'warn'),
  'contribute.has-code': rule('code', 'review'),
  'contribute.name-taken': rule('name', 'reject'),
  'contribute.name-similar': rule('name', 'warn'),
  'contribute.name-known': rule('name', 'review'),
} as const satisfies Readonly<Record<`contribute.${string}`, RuleEntry>>;

export type ContributionRule = keyof typeof contributionRules;
