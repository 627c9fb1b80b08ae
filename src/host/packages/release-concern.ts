import type { NamedRelease } from '../../registry/client/release-statements.js';
import type { StoredReleaseWarning } from '../../store/release-warnings.js';

/** Something that speaks against an installed release. */
export interface ReleaseConcern {
  /** True: calls are held or refused, as the operator decided. False: it is only shown. */
  readonly isGrave: boolean;
  readonly text: string;
}

const maxShown = 300;

export function warningConcern({
  kind,
  name,
  version,
  registry,
  reason,
}: StoredReleaseWarning): ReleaseConcern {
  const why = shownReason(reason);
  return kind === 'quarantine'
    ? { isGrave: true, text: `the registry ${registry} warns about ${name} ${version}: ${why}` }
    : {
        isGrave: false,
        text: `the publisher withdrew ${name} ${version} from the registry ${registry}: ${why}`,
      };
}

/** A list that cannot be read may contain any release. */
export function unreadConcern(registry: string, problem: string): ReleaseConcern {
  const text = `what the registry ${registry} says about its releases cannot be read on this machine: ${problem}`;
  return { isGrave: true, text };
}

export function unknownConcern({ name, version }: NamedRelease): ReleaseConcern {
  const text = `nothing is stored about what a registry says about ${name} ${version}; ask it: toolwharf outdated`;
  return { isGrave: true, text };
}

/** Others wrote it, and agents read it too: one line, without characters that nobody sees. */
function shownReason(reason: string): string {
  const line = reason.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const text = [...line].slice(0, maxShown).join('');
  return JSON.stringify(text === '' ? 'no reason was given' : text);
}
