import type { ContributionRule } from '../contribution-rules.js';
import type { TextRole } from '../text/contributed-text.js';

/** One pattern of text that has no place in a package. */
export interface DescriptionRule {
  readonly code: ContributionRule;
  /** Name of this pattern within its code, for messages. */
  readonly what: string;
  readonly roles: readonly TextRole[];
  /**
   * For text as `plainText` gives it. Only bounded repetitions, and no group of repetitions is repeated, so that the
   * search takes linear time.
   */
  readonly pattern: RegExp;
}

/** A rule about everything that models read. */
export const everywhere: readonly TextRole[] = ['description', 'prompt', 'page'];
/** A rule about what a prompt may say, but a description may not. */
export const inDescriptions: readonly TextRole[] = ['description'];
export const notOnPages: readonly TextRole[] = ['description', 'prompt'];
