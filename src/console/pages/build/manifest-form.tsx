import { useMemo } from 'preact/hooks';
import type { JsonObject } from '../../../model/json.js';
import type { Draft } from '../../parts/form/draft.js';
import { fieldShape } from '../../parts/form/field-shape.js';
import { ObjectMembers } from '../../parts/form/object-field.js';
import { SchemaField } from '../../parts/form/schema-field.js';
import { fits } from '../../parts/form/schema-fit.js';
import { SchemaForm } from '../../parts/form/schema-form.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { sentence } from '../../parts/sentence.js';
import { type Build, changeForm, formProblems } from './build-state.js';
import { groupsOf } from './form-groups.js';
import { ManifestField } from './parameters-field.js';

export const manifestFormId = 'manifest';
const maxUnset = 5;

/** The manifest as a form, from the published schema of its format. */
export function ManifestForm({ now, schema }: { readonly now: Build; readonly schema: JsonObject }) {
  const shape = useMemo(() => fieldShape(schema, schema), [schema]);
  const { form, reason, unwritten } = now;
  if (form === null)
    return reason === null ? (
      <p class="dim loading">Reading the manifest…</p>
    ) : (
      <p class="note warning">
        <span>
          The form cannot show this manifest: <RevealedText text={sentence(reason)} /> The source stays as it
          is; the form is back as soon as the source can be read.
        </span>
      </p>
    );
  const groups = shape.kind === 'object' && fits(schema, shape, form) ? groupsOf(now.format) : undefined;
  const common = {
    ...{ schema, value: form, pointer: '', name: 'manifest', isRequired: true },
    onChange: (next: Draft | undefined) => changeForm(next ?? {}),
  };
  return (
    <SchemaForm
      id={manifestFormId}
      root={schema}
      problems={formProblems(now)}
      maxUnset={maxUnset}
      Field={ManifestField}
    >
      {unwritten !== null && (
        <p class="note warning" role="status">
          <span>
            The form is not in the source: <RevealedText text={sentence(unwritten)} />
          </span>
        </p>
      )}
      {shape.kind === 'object' && groups !== undefined ? (
        groups.map(({ title, text, names }, index) => {
          const named = groups.flatMap((it) => it.names);
          const rest = shape.members.map((it) => it.name).filter((it) => !named.includes(it));
          return (
            <section class="card manifest-group" key={title} aria-label={title}>
              <header>
                <h2>{title}</h2>
                {text !== '' && <p class="dim">{text}</p>}
              </header>
              {index === groups.length - 1 ? (
                <ObjectMembers {...common} shape={shape} names={rest} hasOthers />
              ) : (
                <ObjectMembers {...common} shape={shape} names={names} />
              )}
            </section>
          );
        })
      ) : (
        <section class="card" aria-label="Manifest">
          <SchemaField {...common} />
        </section>
      )}
    </SchemaForm>
  );
}
