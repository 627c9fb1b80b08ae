import type { OpenSession, TokenEntry } from '../../../host/host.js';
import { countText } from '../../parts/amount-text.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Empty, Section } from '../../parts/section.js';
import { Status } from '../../parts/status.js';
import { type Column, Table } from '../../parts/table.js';
import { TimeText } from '../../parts/time-text.js';

interface ConnectedSessionsProps {
  readonly sessions: readonly OpenSession[];
  readonly tokens: readonly TokenEntry[];
}

/** The sessions that are open now. An HTTP client keeps its session between requests. */
export function ConnectedSessions({ sessions, tokens }: ConnectedSessionsProps) {
  const columns: readonly Column<OpenSession>[] = [
    {
      title: 'Client',
      grows: true,
      cell: ({ principal, client, root, set }) => (
        <>
          <strong>
            <RevealedText text={principal} />
          </strong>{' '}
          {principal === 'console' && <Status tone="info">this console</Status>}
          {mayApprove(tokens, principal, client) && <Status tone="warning">may approve</Status>}
          <div class="dim">
            <RevealedText text={root} />
          </div>
          <div class="narrow-only">sees {set === null ? 'all tools' : <SetName name={set} />}</div>
        </>
      ),
    },
    {
      title: 'Sees',
      wideOnly: true,
      cell: ({ set }) => (set === null ? 'all tools' : <SetName name={set} />),
    },
    { title: 'Calls', align: 'end', cell: ({ calls }) => calls.toLocaleString('en') },
    {
      title: 'Last call',
      wideOnly: true,
      cell: ({ lastCallAt }) =>
        lastCallAt === null ? <span class="dim">none</span> : <TimeText at={lastCallAt} />,
    },
    { title: 'Since', wideOnly: true, cell: ({ openedAt }) => <TimeText at={openedAt} /> },
  ];
  return (
    <Section title={`Connected now: ${countText(sessions.length, 'session')}`}>
      {sessions.length === 0 ? (
        <Empty title="Nobody is connected" />
      ) : (
        <Table label="Connected sessions" columns={columns} rows={sessions} keyOf={(it) => it.id} />
      )}
    </Section>
  );
}

function SetName({ name }: { readonly name: string }) {
  return (
    <>
      set <RevealedText text={name} />
    </>
  );
}

function mayApprove(tokens: readonly TokenEntry[], principal: string, client: string): boolean {
  return tokens.some(
    (it) => it.mayApprove && (it.id === client || (client === '' && it.principal === principal)),
  );
}
