import { signal } from '@preact/signals';
import type { Check } from '../../../host/host.js';
import { countText } from '../../parts/amount-text.js';
import { Button } from '../../parts/button.js';
import { CommandText } from '../../parts/command-text.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { Status, type Tone } from '../../parts/status.js';
import { TimeText } from '../../parts/time-text.js';
import { announce } from '../../shell/announcement.js';
import { hostApi } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

/** The newest result, for as long as the page is open. */
const result = signal<{ readonly checks: readonly Check[]; readonly at: number } | null>(null);
const isRunning = signal(false);

const tones: Readonly<Record<Check['status'], Tone>> = { ok: 'good', warn: 'warning', fail: 'bad' };
const order: readonly Check['status'][] = ['fail', 'warn', 'ok'];

/** What "toolwharf doctor" tests, with what this host uses. What needs a fix comes first. */
export function HealthChecks() {
  const known = result.value;
  const run = () =>
    attempt(async () => {
      isRunning.value = true;
      try {
        const checks = await hostApi.health.check();
        result.value = { checks, at: Date.now() };
        announce(summaryOf(checks));
      } finally {
        isRunning.value = false;
      }
      return undefined;
    });
  return (
    <Section
      title="Checks"
      actions={
        <Button kind={known === null ? 'primary' : 'plain'} onClick={run} disabled={isRunning.value}>
          {isRunning.value ? 'Checking…' : known === null ? 'Run the checks' : 'Run again'}
        </Button>
      }
    >
      {known === null ? (
        <p class="dim">
          Tests inside the sandbox what must fail there: reading files, reaching the network, taking memory.
          It takes some seconds, and 256 MB for a moment.
        </p>
      ) : (
        <>
          <p>
            {summaryOf(known.checks)}{' '}
            <span class="dim">
              <TimeText at={known.at} />
            </span>
          </p>
          <ul class="checks">
            {order
              .flatMap((status) => known.checks.filter((it) => it.status === status))
              .map((it) => (
                <CheckItem key={`${it.id} ${it.message}`} check={it} />
              ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function CheckItem({ check: { id, status, message, fix } }: { readonly check: Check }) {
  return (
    <li>
      <div class="check">
        <Status tone={tones[status]}>{status}</Status>
        <p>
          <strong>{id}</strong> <RevealedText text={message} />
        </p>
      </div>
      {fix !== undefined &&
        // Some fixes are sentences.
        (/^(?:toolwharf|sudo|chmod|nvm|systemd-run)\s/.test(fix) ? (
          <CommandText text={fix} what={`the fix of ${id}`} />
        ) : (
          <p class="dim">
            Fix: <RevealedText text={fix} />
          </p>
        ))}
    </li>
  );
}

function summaryOf(checks: readonly Check[]): string {
  const count = (status: Check['status']) => checks.filter((it) => it.status === status).length;
  const open = count('fail') + count('warn');
  return open === 0
    ? `All ${checks.length} checks passed.`
    : `${countText(count('ok'), 'check')} passed, ${open} ${open === 1 ? 'needs' : 'need'} attention.`;
}
