import { useSignal } from '@preact/signals';
import type { TokenRole, ToolSetEntry } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { CommandText, CopyButton } from '../../parts/command-text.js';
import { Dialog } from '../../parts/dialog.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt, tellFailure } from '../../shell/toasts.js';

const dayMs = 86_400_000;
const lifetimes: readonly (readonly [string, number | null])[] = [
  ['1 day', dayMs],
  ['30 days', 30 * dayMs],
  ['90 days', 90 * dayMs],
  ['1 year', 365 * dayMs],
  ['never', null],
];

interface TokenDialogProps {
  readonly sets: readonly ToolSetEntry[];
  readonly onClose: () => void;
}

/** Creates a token. It is shown once, and the page forgets it when the dialog is closed. */
export function TokenDialog({ sets, onClose }: TokenDialogProps) {
  const name = useSignal('');
  const role = useSignal<TokenRole>('agent');
  const lifetime = useSignal(2);
  const set = useSignal('');
  const mayApprove = useSignal(false);
  const token = useSignal('');
  const create = async (event: Event) => {
    event.preventDefault();
    const ms = lifetimes[lifetime.value]?.[1] ?? null;
    await attempt(async () => {
      const made = await hostApi.tokens.create({
        name: name.value.trim(),
        role: role.value,
        expiresAt: ms === null ? null : Date.now() + ms,
        mayApprove: role.value === 'agent' && mayApprove.value,
        by: me,
      });
      token.value = made.token;
      // The token exists now and must be shown, also if the set cannot be bound.
      if (set.value !== '')
        await hostApi.sets
          .bind({ set: set.value, kind: 'token', name: made.entry.id, by: me })
          .catch(tellFailure);
      return undefined;
    });
  };
  if (token.value !== '')
    return (
      <Dialog title={`The token ${name.value.trim()}`} onClose={onClose} wide>
        <p class="note warning">Copy it now. It is shown only once, and only its digest is stored.</p>
        <div class="command">
          <pre class="value">{token.value}</pre>
          <CopyButton text={token.value} what="the token" />
        </div>
        <p>A client sends it with every request:</p>
        <CommandText text={`Authorization: Bearer ${token.value}`} what="the header" />
        <p>Its MCP address is:</p>
        <CommandText text={`${location.origin}/mcp`} what="the address" />
        <div class="actions">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="New token" onClose={onClose}>
      <form onSubmit={create}>
        <label>
          Name
          <input
            required
            maxLength={100}
            autocomplete="off"
            value={name.value}
            placeholder="laptop"
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
          <span class="help dim">
            Calls are recorded as http/{name.value.trim() === '' ? 'NAME' : name.value.trim()}.
          </span>
        </label>
        <label>
          It may
          <select
            value={role.value}
            onInput={(event) => {
              role.value = event.currentTarget.value as TokenRole;
            }}
          >
            <option value="agent">call tools (agent)</option>
            <option value="operator">also decide and change settings (operator)</option>
          </select>
        </label>
        <label>
          It expires after
          <select
            value={lifetime.value}
            onInput={(event) => {
              lifetime.value = Number(event.currentTarget.value);
            }}
          >
            {lifetimes.map(([text], index) => (
              <option key={text} value={index}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {sets.length > 0 && (
          <label>
            It sees
            <select
              value={set.value}
              onInput={(event) => {
                set.value = event.currentTarget.value;
              }}
            >
              <option value="">what everyone sees</option>
              {sets.map((it) => (
                <option key={it.name} value={it.name}>
                  only the set {it.name}
                </option>
              ))}
            </select>
          </label>
        )}
        {role.value === 'agent' && (
          <label class="inline">
            <input
              type="checkbox"
              checked={mayApprove.value}
              onInput={(event) => {
                mayApprove.value = event.currentTarget.checked;
              }}
            />
            <span>
              A person may approve held calls in this client. An agent that can control the client could do so
              too, and no PIN is asked for.
            </span>
          </label>
        )}
        <div class="actions">
          <Button kind="primary" type="submit" disabled={name.value.trim() === ''}>
            Create
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
