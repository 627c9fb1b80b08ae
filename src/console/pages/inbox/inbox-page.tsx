import { Problem } from '../../parts/problem.js';
import { Publications } from '../../parts/publications.js';
import { Empty, Loaded } from '../../parts/section.js';
import { connection } from '../../shell/connection.js';
import type { ConsolePage } from '../page.js';
import { AskedPackages } from './asked-packages.js';
import { HeldCalls } from './held-calls.js';
import {
  askedPackages,
  held,
  inboxCount,
  inboxProblems,
  isInboxKnown,
  moved,
  outcomes,
  packages,
  packagesToReview,
  publications,
  rollbacks,
} from './inbox.js';
import { MovedFiles } from './moved-files.js';
import { Reviews } from './reviews.js';
import { RulesInForce } from './rules-in-force.js';
import { Setups } from './setups.js';
import { UnknownOutcomes } from './unknown-outcomes.js';

export const inboxPage: ConsolePage = {
  path: 'inbox',
  title: 'Inbox',
  key: 'i',
  icon: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1 2h4l1-2h5',
  view: Inbox,
  count: inboxCount,
};

function Inbox() {
  const isEmpty = isInboxKnown() && inboxCount() === 0;
  return (
    <div class="page inbox">
      <header>
        <h1>Inbox</h1>
        <p class="dim">What waits for your decision.</p>
      </header>
      <Loaded from={held.value}>{(calls) => <HeldCalls calls={calls} />}</Loaded>
      {connection.value === 'live' &&
        inboxProblems().map((it) => (
          <Problem key={it.message} error={it} before="A part of the inbox could not be read: " />
        ))}
      <UnknownOutcomes outcomes={outcomes.value.value ?? []} rollbacks={rollbacks.value.value ?? []} />
      <Reviews packages={packagesToReview()} />
      <AskedPackages requests={askedPackages.value.value ?? []} />
      <Publications from={publications.value} />
      <MovedFiles files={moved.value.value ?? []} />
      <Setups packages={(packages.value.value ?? []).filter((it) => it.state === 'needs-setup')} />
      {isEmpty && (
        <Empty title="Nothing waits for you">
          <p>Held calls appear here at once, also on your phone.</p>
        </Empty>
      )}
      <RulesInForce />
    </div>
  );
}
