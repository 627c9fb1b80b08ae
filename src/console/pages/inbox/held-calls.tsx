import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ApprovalRequest } from '../../../model/approval.js';
import { Section } from '../../parts/section.js';
import { onKey } from '../../shell/keyboard.js';
import { approve, deny, hasArguments, mayBeRule } from './decisions.js';
import { HeldCallCard, type HeldCallDialog } from './held-call-card.js';

/**
 * Milliseconds. When the chosen call goes away, another one takes its place. A key that was meant for the first must not
 * decide about the second.
 */
const settleMs = 700;

/** All held calls. The keys act on the chosen one. */
export function HeldCalls({ calls }: { readonly calls: readonly ApprovalRequest[] }) {
  const chosen = useSignal<string | undefined>(undefined);
  const dialog = useSignal<{ readonly id: string; readonly open: HeldCallDialog } | null>(null);
  const shown = useRef(calls);
  const settled = useRef(0);
  shown.current = calls;
  if (!calls.some((it) => it.id === chosen.peek())) {
    chosen.value = calls[0]?.id;
    settled.current = performance.now() + settleMs;
  }
  useEffect(
    () =>
      onKey((event) => {
        // Read now, not when the page was drawn: a key decides about what is chosen at this moment.
        const list = shown.current;
        const current = list.find((it) => it.id === chosen.peek());
        if (current === undefined || performance.now() < settled.current) return;
        // A key that is held down repeats. It must not go on with the calls behind this one.
        if (event.repeat && (event.key === 'y' || event.key === 'n')) return;
        switch (event.key) {
          case 'y':
            return void approve(current);
          case 'n':
            return void deny(current);
          case 'e':
            if (hasArguments(current)) dialog.value = { id: current.id, open: 'change' };
            return event.preventDefault();
          case 'a':
            if (mayBeRule(current)) dialog.value = { id: current.id, open: 'rule' };
            return event.preventDefault();
          case 'j':
          case 'k': {
            const next = list[list.indexOf(current) + (event.key === 'j' ? 1 : -1)];
            if (next === undefined) return;
            chosen.value = next.id;
            document.getElementById(`held-${next.id}`)?.focus();
          }
        }
      }),
    [],
  );
  if (calls.length === 0) return null;
  return (
    <Section title={calls.length === 1 ? '1 held call' : `${calls.length} held calls`}>
      {calls.map((it) => (
        <HeldCallCard
          key={it.id}
          call={it}
          isChosen={it.id === chosen.value}
          dialog={dialog.value?.id === it.id ? dialog.value.open : null}
          onChoose={() => {
            chosen.value = it.id;
          }}
          onDialog={(open) => {
            dialog.value = open === null ? null : { id: it.id, open };
          }}
        />
      ))}
    </Section>
  );
}
