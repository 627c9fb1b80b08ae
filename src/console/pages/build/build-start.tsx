import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Section } from '../../parts/section.js';
import { hostApi, sessionApi } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';
import { packages } from '../inbox/inbox.js';
import { begin } from './build-state.js';

interface FormatText {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

/** What each format is for. Formats without words are offered too. */
const words: readonly FormatText[] = [
  {
    name: 'patch',
    title: 'Patch',
    text: 'One Python file with one tool. The shortest way to a tool of your own.',
  },
  {
    name: 'talos',
    title: 'Talos',
    text: 'A folder with JavaScript or TypeScript functions, settings and credentials.',
  },
  {
    name: 'toolspace',
    title: 'Toolspace',
    text: 'A command line program, with how it is installed, tested and removed.',
  },
  {
    name: 'findagent',
    title: 'FindAgent',
    text: 'An agent: its prompt, its tools, credentials and guardrails.',
  },
  { name: 'nexo', title: 'Nexo', text: 'An extension with tools and hooks, or with MCP servers.' },
  {
    name: 'mcp',
    title: 'MCP server',
    text: 'A plain MCP server: its command, image or URL, and what it may use.',
  },
];

/** How a new package begins: with a format's starter, or with the files of another package. */
export function BuildStart({ formats }: { readonly formats: readonly string[] }) {
  const chosen = useSignal('patch');
  const name = useSignal('my-tool');
  const from = useSignal('');
  const id = useId();
  const known = (packages.value.value ?? []).filter((it) => it.id !== null);
  const start = async (event: Event) => {
    event.preventDefault();
    await attempt(async () => {
      await begin(await hostApi.manifests.start(chosen.value, name.value));
      return undefined;
    });
  };
  const open = () =>
    attempt(async () => {
      const { leftOut, ...draft } = await sessionApi.source(from.value);
      await begin(draft, leftOut);
      return undefined;
    });
  return (
    <>
      <form class="card" onSubmit={start} aria-label="Start with a working example">
        <header>
          <h2>Start with a working example</h2>
        </header>
        <fieldset class="formats">
          <legend>Format</legend>
          {formats.map((it) => {
            const { title, text } = words.find((one) => one.name === it) ?? { title: it, text: '' };
            return (
              <label class="inline format" key={it}>
                <input
                  type="radio"
                  name={`${id}-format`}
                  checked={chosen.value === it}
                  onChange={() => {
                    chosen.value = it;
                  }}
                />
                <span>
                  <strong>{title}</strong>
                  <span class="dim">{text}</span>
                </span>
              </label>
            );
          })}
        </fieldset>
        <label class="package-name">
          Name
          <input
            value={name.value}
            autocomplete="off"
            spellcheck={false}
            aria-describedby={`${id}-name`}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
          <span class="dim" id={`${id}-name`}>
            Lower-case letters, digits and hyphens.
          </span>
        </label>
        <div class="actions">
          <Button kind="primary" type="submit" disabled={name.value === ''}>
            Start
          </Button>
        </div>
      </form>
      {known.length > 0 && (
        <Section title="Or begin with a package of this host">
          <div class="from-package">
            <select
              aria-label="Package"
              value={from.value}
              onChange={(event) => {
                from.value = event.currentTarget.value;
              }}
            >
              <option value="">Choose…</option>
              {known.map(({ id: it, format }) => (
                <option key={it} value={it ?? ''}>
                  {it} ({format})
                </option>
              ))}
            </select>
            <Button disabled={from.value === ''} onClick={open}>
              Open a copy
            </Button>
          </div>
          <p class="dim">You edit a copy in this page. The package itself stays as it is.</p>
        </Section>
      )}
    </>
  );
}
