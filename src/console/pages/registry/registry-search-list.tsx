import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RegistrySearchHit, RegistrySearchResult } from '../../../host/host.js';
import { Link } from '../../parts/link.js';
import { Problem } from '../../parts/problem.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Empty, Section } from '../../parts/section.js';
import { sessionApi } from '../../shell/operations.js';
import { ReleaseMarks } from './release-marks.js';

const waitMs = 250;
const limit = 50;
/** Stays while other pages are open. */
const words = signal('');
const result = signal<RegistrySearchResult | Error | null>(null);

/** A search over the configured registries. */
export function RegistrySearchList() {
  const text = words.value.trim();
  useEffect(() => {
    if (text === '') {
      result.value = null;
      return undefined;
    }
    let isOver = false;
    const search = async () => {
      const found = await sessionApi.registries.search({ words: text, limit }).catch((it: Error) => it);
      if (!isOver) result.value = found;
    };
    const timer = setTimeout(() => void search(), waitMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text]);
  const known = result.value;
  return (
    <>
      <label class="search">
        <span class="sr-only">Search packages</span>
        <input
          type="search"
          placeholder="Search by name, description, tag or tool"
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value;
          }}
        />
        <span class="dim" role="status">
          {known !== null && !(known instanceof Error) && countText(known.found.length)}
        </span>
      </label>
      {known instanceof Error && <Problem error={known} />}
      {known !== null && !(known instanceof Error) && (
        <>
          {known.problems.map(({ registry, message }) => (
            <p key={registry} class="note bad">
              {registry} was not searched: <RevealedText text={message} />
            </p>
          ))}
          {known.found.length === 0 ? (
            <Empty title="No package matches">
              <p>Search for other words.</p>
            </Empty>
          ) : (
            <Section title="Found">
              <ul class="registry-hits" aria-label="Packages">
                {known.found.map((it) => (
                  <Hit key={it.name} hit={it} />
                ))}
              </ul>
            </Section>
          )}
        </>
      )}
    </>
  );
}

function Hit({ hit }: { readonly hit: RegistrySearchHit }) {
  const { registry, name, version, title, description, format, tools, withdrawn, quarantined } = hit;
  return (
    <li class="card">
      <header>
        <h3>
          <Link to={['registry', ...name.split('/')]}>
            <RevealedText text={name} />
          </Link>
        </h3>
        <span class="dim">
          <RevealedText text={`${version} · ${format} · ${registry}`} />
        </span>
      </header>
      {title !== '' && title !== name && (
        <p>
          <RevealedText text={title} />
        </p>
      )}
      <p>
        <RevealedText text={description} />
      </p>
      {tools.length > 0 && (
        <p class="dim">
          Tools: <RevealedText text={tools.join(', ')} />
        </p>
      )}
      <ReleaseMarks withdrawn={withdrawn} quarantined={quarantined} />
    </li>
  );
}

function countText(count: number): string {
  if (count === limit) return `the best ${limit}`;
  return `${count} ${count === 1 ? 'package' : 'packages'}`;
}
