import type { AuditLog, NewAuditEntry } from '../../store/audit-log.js';
import type { Changes, ChangeTopic } from './changes.js';

interface Announcing {
  onChange(listener: () => void): unknown;
}

export class HostChanges implements Changes {
  readonly #listeners = new Set<(topics: readonly ChangeTopic[]) => void>();

  constructor(audit: Pick<AuditLog, 'onWritten'>) {
    audit.onWritten = (entries) => this.#entriesWritten(entries);
  }

  onChange(listener: (topics: readonly ChangeTopic[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  announce(...topics: readonly ChangeTopic[]): void {
    for (const it of this.#listeners) it(topics);
  }

  /** The audit log has an operation of the operator before it takes effect, so its end is announced too. */
  operationEnded(): void {
    this.announce(...operatorTopics);
  }

  /** Also announces changes of held calls and of packages, which come before or without an entry. */
  follow(approvals: Announcing, packages: Announcing): void {
    approvals.onChange(() => this.announce('approvals'));
    packages.onChange(() => this.announce('packages'));
  }

  /** Called when entries of the audit log are on disk. */
  #entriesWritten(entries: readonly NewAuditEntry[]): void {
    if (this.#listeners.size > 0) this.announce(...new Set(entries.flatMap(topicsOf)));
  }
}

/** An operation of the operator may change more than one thing, and is rare. */
const operatorTopics: readonly ChangeTopic[] = [
  'packages',
  'kills',
  'requests',
  'outcomes',
  'values',
  'clients',
  'approvals',
  'calls',
];

function topicsOf({ kind }: NewAuditEntry): readonly ChangeTopic[] {
  switch (kind) {
    case 'operator':
    case 'violation':
      return operatorTopics;
    case 'hold':
    case 'approval':
      return ['approvals', 'calls'];
    case 'recovery':
    case 'rollback':
      return ['outcomes', 'calls'];
    case 'checkpoint':
    case 'anchor':
      return [];
    default:
      return ['calls'];
  }
}
