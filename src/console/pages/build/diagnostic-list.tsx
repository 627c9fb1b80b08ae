import type { Diagnostic } from '../../../model/diagnostic.js';
import { focusField } from '../../parts/form/form-context.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { sentence } from '../../parts/sentence.js';
import { Status } from '../../parts/status.js';
import { type Build, settled, view } from './build-state.js';
import { chosenFile } from './file-list.js';
import { manifestFormId } from './manifest-form.js';
import { sourcePlace } from './source-view.js';

const maxShown = 100;

/** Everything that the format's checks found, with the ways to its places. */
export function DiagnosticList({ now }: { readonly now: Build }) {
  const { checked, manifest, form } = now;
  if (checked === null) return null;
  const { diagnostics } = checked;
  const errors = diagnostics.filter((it) => it.severity === 'error').length;
  const title =
    diagnostics.length === 0
      ? 'No findings'
      : `${diagnostics.length} ${diagnostics.length === 1 ? 'finding' : 'findings'}, ${errors} ${errors === 1 ? 'error' : 'errors'}`;
  const showSource = async ({ file, range }: Diagnostic) => {
    await settled();
    chosenFile.value = file;
    view.value = file === manifest ? 'source' : 'files';
    sourcePlace.value = range;
  };
  const showField = ({ pointer = '' }: Diagnostic) => {
    view.value = 'form';
    setTimeout(() => focusField({ id: manifestFormId }, pointer));
  };
  return (
    <Section title={title}>
      {diagnostics.length > 0 && (
        <ul class="tools diagnostics">
          {diagnostics.slice(0, maxShown).map((it, index) => (
            <li key={index}>
              <div>
                <Status
                  tone={it.severity === 'error' ? 'bad' : it.severity === 'warning' ? 'warning' : 'info'}
                >
                  {it.severity}
                </Status>{' '}
                <code>{it.code}</code>
              </div>
              <p>
                <RevealedText text={sentence(it.message)} />
              </p>
              {it.hint !== undefined && (
                <p class="dim">
                  <RevealedText text={sentence(it.hint)} />
                </p>
              )}
              <p class="ways">
                <button type="button" class="text" onClick={() => showSource(it)}>
                  <RevealedText text={`${it.file}:${it.range.line}:${it.range.column}`} />
                </button>
                {it.file === manifest && it.pointer !== undefined && form !== null && (
                  <button type="button" class="text" onClick={() => showField(it)}>
                    Show the field
                  </button>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
      {diagnostics.length > maxShown && (
        <p class="dim">{diagnostics.length - maxShown} more are not shown.</p>
      )}
    </Section>
  );
}
