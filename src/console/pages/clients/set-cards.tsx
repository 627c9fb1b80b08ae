import { useSignal } from '@preact/signals';
import type { SetBinding, TokenEntry, ToolSet, ToolSetEntry } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { CommandText } from '../../parts/command-text.js';
import { confirmWith } from '../../parts/confirmation-dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { TimeText } from '../../parts/time-text.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';
import { BindDialog } from './bind-dialog.js';

interface SetCardsProps {
  readonly sets: readonly ToolSetEntry[];
  readonly tokens: readonly TokenEntry[];
}

/** Which tools clients see. A set only leaves out, renames and fixes: it grants nothing. */
export function SetCards({ sets, tokens }: SetCardsProps) {
  return (
    <Section title="Sets of tools">
      {sets.length === 0 ? (
        <div class="card">
          <p>Every client sees all tools. A set shows only some of them; save one at the command line:</p>
          <CommandText text="toolwharf set save reading --only PACKAGE/TOOL" />
        </div>
      ) : (
        sets.map((it) => <SetCard key={it.name} entry={it} tokens={tokens} />)
      )}
    </Section>
  );
}

function SetCard({
  entry,
  tokens,
}: {
  readonly entry: ToolSetEntry;
  readonly tokens: readonly TokenEntry[];
}) {
  const isBinding = useSignal(false);
  const { name, set, bindings, savedAt, savedBy } = entry;
  return (
    <article class="card">
      <header>
        <h3>
          <RevealedText text={name} />
        </h3>
        <p class="dim">
          saved by <RevealedText text={savedBy} />, <TimeText at={savedAt} />
        </p>
      </header>
      {set === null ? (
        <p class="problem">It cannot be read. Clients with it see no tools until it is saved again.</p>
      ) : (
        <SetContent set={set} />
      )}
      {bindings.length === 0 ? (
        <p class="dim">Nobody uses it.</p>
      ) : (
        <ul class="bindings" aria-label={`Who uses ${name}`}>
          {bindings.map((it) => (
            <li key={`${it.kind} ${it.subject}`}>
              <span>
                <RevealedText text={subjectText(it, tokens)} />
              </span>
              <Button label={`End: ${subjectText(it, tokens)}`} onClick={() => unbind(it, tokens)}>
                End…
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div class="actions">
        <Button
          onClick={() => {
            isBinding.value = true;
          }}
        >
          Show only this to…
        </Button>
      </div>
      {isBinding.value && (
        <BindDialog
          set={name}
          tokens={tokens}
          onClose={() => {
            isBinding.value = false;
          }}
        />
      )}
    </article>
  );
}

function SetContent({ set: { packages, only, tools } }: { readonly set: ToolSet }) {
  const views = Object.entries(tools);
  const named = (isFitting: (view: ToolSet['tools'][string]) => boolean) =>
    views.filter(([, view]) => isFitting(view)).map(([tool]) => tool);
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['Packages', packages ?? ['all']],
    ['Tools', only ?? ['all']],
    ['Hidden', named((it) => it.hidden === true)],
    [
      'Renamed',
      views.flatMap(([tool, view]) => (view.name === undefined ? [] : [`${tool} as ${view.name}`])),
    ],
    ['Described anew', named((it) => it.description !== undefined)],
    [
      'Fixed arguments',
      views.flatMap(([tool, view]) =>
        view.arguments === undefined ? [] : [`${tool} ${JSON.stringify(view.arguments)}`],
      ),
    ],
  ];
  return (
    <dl class="facts">
      {rows
        .filter(([, texts]) => texts.length > 0)
        .map(([title, texts]) => [
          <dt key={title}>{title}</dt>,
          <dd key={`${title}-text`}>
            <RevealedText text={texts.join(', ')} />
          </dd>,
        ])}
    </dl>
  );
}

function subjectText({ kind, name, subject }: SetBinding, tokens: readonly TokenEntry[]): string {
  switch (kind) {
    case 'everyone':
      return 'everyone without another set';
    case 'workspace':
      return `sessions in ${subject}`;
    case 'principal':
      return subject;
    default:
      return `${tokens.find((it) => it.id === name)?.name ?? name} (${subject})`;
  }
}

async function unbind(binding: SetBinding, tokens: readonly TokenEntry[]): Promise<void> {
  const who = subjectText(binding, tokens);
  const isSure = await confirmWith({
    title: 'End the use of the set?',
    text: (
      <p>
        <RevealedText text={who} /> will see what all others see.
      </p>
    ),
    yes: 'End it',
  });
  if (!isSure) return;
  await attempt(async () => {
    const { kind, name } = binding;
    await hostApi.sets.unbind({ kind, ...(kind === 'everyone' ? {} : { name }), by: me });
    return `${who} no longer uses the set ${binding.set}.`;
  });
}
