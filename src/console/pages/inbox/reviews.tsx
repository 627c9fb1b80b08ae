import { useMemo } from 'preact/hooks';
import type { PackageReview, PackageState, TextDifference } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { ChangedText } from '../../parts/changed-text.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Loaded, Section } from '../../parts/section.js';
import { markChanges } from '../../parts/text-difference.js';
import { useLive } from '../../shell/live.js';
import { me, sessionApi } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

/** Packages and upstream tools that changed since somebody accepted them. */
export function Reviews({ packages }: { readonly packages: readonly PackageState[] }) {
  if (packages.length === 0) return null;
  return (
    <Section title="Changes to review">
      {packages.map((it) => (
        <ReviewCard key={it.path} state={it} />
      ))}
    </Section>
  );
}

function ReviewCard({ state }: { readonly state: PackageState }) {
  const id = state.id ?? '';
  const review = useLive(['packages'], () => sessionApi.review(id), id);
  return (
    <article class="card">
      <header>
        <h3>
          <RevealedText text={state.id ?? state.path} />
        </h3>
        <p class="dim">
          <RevealedText text={state.path} />
        </p>
      </header>
      <Loaded from={review}>{(it) => <ReviewBody review={it} />}</Loaded>
    </article>
  );
}

function ReviewBody({ review }: { readonly review: PackageReview }) {
  const { package: id, from, to, widened, reworded, texts, narrowed } = review;
  // What a server announces differently is shown below, with its words marked.
  const isShown = (line: string) =>
    texts.some(({ after }) => after !== null && line.includes(JSON.stringify(after)));
  return (
    <>
      <Changes
        title={from === undefined ? 'It asks for' : 'It may do more'}
        lines={from === undefined ? widened : widened.filter((it) => !isShown(it))}
        tone="more"
      />
      <TextChanges texts={texts} />
      {texts.length === 0 && (
        <Changes title="Words that models or people read" lines={reworded} tone="words" />
      )}
      <Changes title="It may do less" lines={narrowed} tone="less" />
      <div class="actions">
        <Button
          kind="primary"
          onClick={() =>
            attempt(async () => {
              await sessionApi.accept(id, to, me);
              return `${id} was accepted.`;
            })
          }
        >
          Accept
        </Button>
      </div>
    </>
  );
}

function Changes({
  title,
  lines,
  tone,
}: {
  readonly title: string;
  readonly lines: readonly string[];
  readonly tone: string;
}) {
  if (lines.length === 0) return null;
  return (
    <div class={`changes ${tone}`}>
      <h4>{title}</h4>
      <ul>
        {lines.map((it) => (
          <li key={it}>
            <RevealedText text={it} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Old and new text side by side. Models read the new one once it is accepted. */
function TextChanges({ texts }: { readonly texts: readonly TextDifference[] }) {
  if (texts.length === 0) return null;
  return (
    <div class="text-changes">
      <h4>Words that models or people read</h4>
      {texts.map((it) => (
        <TextPair key={`${it.subject} ${it.place} ${it.before}`} text={it} />
      ))}
    </div>
  );
}

function TextPair({ text: { subject, place, before, after } }: { readonly text: TextDifference }) {
  const marked = useMemo(() => markChanges(before ?? '', after ?? ''), [before, after]);
  return (
    <div class="pair">
      <p class="dim">
        <RevealedText text={`${subject}, ${place}`} />
      </p>
      <div class="columns">
        <div class="old">
          <p class="dim">Accepted</p>
          {before === null ? (
            <p class="dim">It is new.</p>
          ) : (
            <ChangedText parts={marked.before} side="before" />
          )}
        </div>
        <div class="new">
          <p class="dim">Now</p>
          {after === null ? (
            <p class="dim">It was removed.</p>
          ) : (
            <ChangedText parts={marked.after} side="after" />
          )}
        </div>
      </div>
    </div>
  );
}
