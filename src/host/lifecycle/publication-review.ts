// The review queues of registries in folders of this machine: packages that a person must look at before they are published.
import { lstatSync, readdirSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import type { RegistrySetting } from '../../model/registry-setting.js';
import type { ReviewQueue } from '../../model/review-queue.js';
import { reviewFolder } from '../../registry/contribute/publish/review-folder.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { Actor, OperatorAuth, VerifiedActor } from '../operator/operator-auth.js';
import type { PublicationReview, Registries, RegistryProblem } from './registries.js';

export interface ReviewServices {
  readonly audit: Pick<AuditLog, 'append'>;
  readonly operatorAuth: Pick<OperatorAuth, 'verify'>;
  readonly now: () => number;
}

const maxNote = 500;

export function reviewOperations(
  settings: readonly RegistrySetting[],
  { audit, operatorAuth, now }: ReviewServices,
): Pick<Registries, 'reviews' | 'decideReview'> {
  const queues = () =>
    settings.flatMap((it) => {
      const queue = queueOf(it);
      return queue === undefined ? [] : [{ registry: it.name, queue }];
    });
  return {
    async reviews() {
      const waiting: PublicationReview[] = [];
      const problems: RegistryProblem[] = [];
      const open = queues();
      for (const { registry, queue } of open) {
        try {
          for (const { review, id, sha256, publisher, submittedAt, verdict } of await queue.list())
            if (review === undefined) waiting.push({ registry, id, sha256, publisher, submittedAt, verdict });
        } catch (error) {
          if (!(error instanceof HostError)) throw error;
          problems.push({ registry, message: error.message });
        }
      }
      return { registries: open.map((it) => it.registry), waiting, problems };
    },
    async decideReview({ registry, id, sha256, decision, note, by }) {
      if (note !== undefined && note.length > maxNote)
        throw new HostError('usage', `the note is longer than ${maxNote} characters`);
      // Rejecting cannot publish anything, so it never needs the PIN.
      const who =
        decision === 'approved'
          ? await operatorAuth.verify(by, 'approve a package that waits to be published')
          : unverified(by);
      const queue = queues().find((it) => it.registry === registry)?.queue;
      if (queue === undefined)
        throw new HostError('not_found', `this host has no review queue of a registry ${registry}`, {
          hint: 'configure the registry with its path; its review queue must belong to the user of this host',
        });
      const entry = await queue.find(id);
      if (entry.sha256 !== sha256)
        throw new HostError('denied', 'another archive was shown than the one that waits', {
          hint: 'look at the review again',
        });
      if (decision === 'approved' && entry.verdict.decision === 'reject')
        throw new HostError('denied', 'the checks reject this package, so it cannot be approved');
      const body = { operation: `publication ${decision}`, registry, id: entry.id, sha256 };
      await audit.append({ kind: 'operator', body: { ...body, ...who } });
      const decided = await queue.decide(entry.id, {
        decision,
        reviewer: who.by,
        at: new Date(now()).toISOString(),
        ...(note === undefined || note === '' ? {} : { note }),
      });
      return { registry, id: decided.id, decision, reviewer: who.by };
    },
  };
}

function unverified(actor: Actor): VerifiedActor {
  const { name, channel } = typeof actor === 'string' ? { name: actor, channel: 'library' as const } : actor;
  return { by: name, channel, verified: false };
}

/** Undefined: there is none, or it belongs to somebody else, who could not read a decision that this user writes. */
function queueOf({ path }: RegistrySetting): ReviewQueue | undefined {
  if (path === undefined) return undefined;
  const data = `${path.replace(/(?<=.)\/+$/, '')}.data`;
  const found = lstatSync(data, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) return undefined;
  try {
    readdirSync(data);
  } catch {
    return undefined;
  }
  return reviewFolder(data);
}
