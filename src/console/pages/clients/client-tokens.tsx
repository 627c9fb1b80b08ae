import { useSignal } from '@preact/signals';
import type { TokenEntry, ToolSetEntry } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { confirmWith } from '../../parts/confirmation-dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Empty, Section } from '../../parts/section.js';
import { Status } from '../../parts/status.js';
import { type Column, Table } from '../../parts/table.js';
import { clock, TimeText } from '../../parts/time-text.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';
import { TokenDialog } from './token-dialog.js';

interface ClientTokensProps {
  readonly tokens: readonly TokenEntry[];
  readonly sets: readonly ToolSetEntry[];
}

/** Tokens of HTTP clients and keys of clients that `connect` set up. */
export function ClientTokens({ tokens, sets }: ClientTokensProps) {
  const isCreating = useSignal(false);
  const columns: readonly Column<TokenEntry>[] = [
    {
      title: 'Name',
      cell: ({ name, principal, kind, role, mayApprove, lastUsedAt }) => (
        <>
          <strong>
            <RevealedText text={name} />
          </strong>{' '}
          {role === 'operator' && <Status tone="warning">operator</Status>}
          {mayApprove && <Status tone="warning">may approve</Status>}
          <div class="dim">
            {kind === 'http' ? 'token' : 'key of connect'}, <RevealedText text={principal} />
          </div>
          <div class="narrow-only">
            sees {setOf(sets, principal)}, used{' '}
            {lastUsedAt === null ? 'not yet' : <TimeText at={lastUsedAt} />}
          </div>
        </>
      ),
    },
    { title: 'Sees', wideOnly: true, cell: ({ principal }) => setOf(sets, principal) },
    {
      title: 'Last use',
      wideOnly: true,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span class="dim">not yet</span> : <TimeText at={lastUsedAt} />,
    },
    {
      title: 'Expires',
      cell: ({ expiresAt }) => <Expiry at={expiresAt} />,
    },
    {
      title: 'Revoke',
      align: 'end',
      cell: (it) => (
        <Button kind="danger" label={`Revoke ${it.name}`} onClick={() => revoke(it)}>
          Revoke…
        </Button>
      ),
    },
  ];
  return (
    <Section
      title="Tokens and keys"
      actions={
        <Button
          onClick={() => {
            isCreating.value = true;
          }}
        >
          New token…
        </Button>
      }
    >
      {tokens.length === 0 ? (
        <Empty title="No tokens">
          <p>A program that calls over HTTP needs one. “toolwharf connect” makes a key by itself.</p>
        </Empty>
      ) : (
        <Table label="Tokens and keys" columns={columns} rows={tokens} keyOf={(it) => it.id} />
      )}
      {isCreating.value && (
        <TokenDialog
          sets={sets}
          onClose={() => {
            isCreating.value = false;
          }}
        />
      )}
    </Section>
  );
}

async function revoke({ id, name }: TokenEntry): Promise<void> {
  const isSure = await confirmWith({
    title: `Revoke ${name}?`,
    text: <p>Its client is disconnected at once and cannot call tools any more. This cannot be undone.</p>,
    yes: 'Revoke',
    danger: true,
  });
  if (isSure)
    await attempt(async () => {
      await hostApi.tokens.revoke(id, me);
      return `${name} was revoked.`;
    });
}

const soonMs = 14 * 86_400_000;

function Expiry({ at }: { readonly at: number | null }) {
  if (at === null) return <span class="dim">never</span>;
  const left = at - clock.value;
  if (left <= 0) return <Status tone="bad">expired</Status>;
  return left < soonMs ? (
    <span class="problem">
      <TimeText at={at} />
    </span>
  ) : (
    <TimeText at={at} />
  );
}

/** What a binding of the caller itself says. Sets that are loaded for folders or for everyone are listed with the sets. */
function setOf(sets: readonly ToolSetEntry[], principal: string): string {
  const bound = sets.find((it) => it.bindings.some((binding) => binding.subject === principal));
  if (bound !== undefined) return `set ${bound.name}`;
  const everyone = sets.find((it) => it.bindings.some((binding) => binding.kind === 'everyone'));
  return everyone === undefined ? 'all tools' : `set ${everyone.name} (everyone)`;
}
