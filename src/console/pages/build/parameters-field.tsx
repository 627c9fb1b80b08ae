import { useSignal } from '@preact/signals';
import { type Draft, isDraftObject } from '../../parts/form/draft.js';
import { FieldHelp, FieldName, FieldProblems } from '../../parts/form/field.js';
import type { FieldProps } from '../../parts/form/field-props.js';
import { fieldShape } from '../../parts/form/field-shape.js';
import { fieldId, focusField, useForm } from '../../parts/form/form-context.js';
import { JsonEditor } from '../../parts/form/json-editor.js';
import { SchemaField } from '../../parts/form/schema-field.js';

/** Members of manifests that are JSON Schemas themselves. */
const schemaMembers: ReadonlySet<string> = new Set(['input_schema', 'output_schema', 'parameters', 'schema']);
const types = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

type DraftObject = { readonly [name: string]: Draft };

/** The field of a manifest: a JSON Schema inside of it is a list of parameters. */
export function ManifestField(props: FieldProps) {
  const { root } = useForm();
  const isSchema =
    schemaMembers.has(props.name) &&
    fieldShape(root, props.schema).kind === 'object' &&
    (props.value === undefined || isDraftObject(props.value));
  return isSchema ? <ParametersField {...props} /> : <SchemaField {...props} />;
}

/** Parameters with their name, type and description. What else a schema says stays, and is written as JSON. */
function ParametersField({ schema, value, onChange, pointer, name, isRequired }: FieldProps) {
  const form = useForm();
  const isJson = useSignal(false);
  const shape = fieldShape(form.root, schema);
  const id = fieldId(form, pointer);
  const whole: DraftObject = isDraftObject(value) ? value : {};
  const { properties, required } = whole;
  const members: DraftObject = isDraftObject(properties) ? properties : {};
  const names = Array.isArray(required) ? (required as readonly Draft[]) : [];
  const isList =
    (properties === undefined || isDraftObject(properties)) &&
    (required === undefined || Array.isArray(required)) &&
    Object.values(members).every(isDraftObject) &&
    (whole.type === undefined || whole.type === 'object');
  const write = (next: readonly (readonly [string, Draft])[], must: readonly Draft[]) => {
    const { required: _, ...rest } = whole;
    onChange({
      ...rest,
      type: 'object',
      properties: Object.fromEntries(next),
      ...(must.length === 0 ? {} : { required: must }),
    });
  };
  const entries = Object.entries(members) as [string, DraftObject][];
  const change = (at: number, key: string, member: DraftObject) =>
    write(
      entries.map((it, index) => (index === at ? [key, member] : it)),
      names.map((it) => (it === entries[at]?.[0] ? key : it)),
    );
  const add = () => {
    let count = entries.length + 1;
    while (Object.hasOwn(members, `parameter_${count}`)) count++;
    write([...entries, [`parameter_${count}`, { type: 'string' }]], names);
    setTimeout(() => focusField(form, `${pointer}/properties/parameter_${count}`));
  };
  return (
    <fieldset id={id} tabIndex={-1}>
      <legend>
        <FieldName name={name} shape={shape} isRequired={isRequired} />
      </legend>
      <FieldHelp id={id} shape={shape} />
      {isJson.value || !isList ? (
        <JsonEditor id={`${id}-json`} label={`${name} as JSON`} value={value} onChange={onChange} />
      ) : (
        <ol class="items parameters">
          {entries.map(([key, member], index) => (
            // A name changes while it is typed, so the place identifies the row.
            <li key={index}>
              <Parameter
                {...{ name: key, member, taken: Object.keys(members) }}
                id={fieldId(form, `${pointer}/properties/${key}`)}
                isRequired={names.includes(key)}
                onChange={(nextName, next) => change(index, nextName, next)}
                onRequire={(must) =>
                  write(entries, must ? [...names, key] : names.filter((it) => it !== key))
                }
              />
              <button
                type="button"
                class="icon"
                aria-label={`Remove ${key}`}
                onClick={() =>
                  write(
                    entries.filter((_, at) => at !== index),
                    names.filter((it) => it !== key),
                  )
                }
              >
                ×
              </button>
            </li>
          ))}
        </ol>
      )}
      <FieldProblems pointer={pointer} inside />
      <div class="actions">
        {!isJson.value && isList && (
          <button type="button" class="button small" onClick={add}>
            Add a parameter <span class="sr-only">to {name}</span>
          </button>
        )}
        {isList && (
          <button
            type="button"
            class="text"
            onClick={() => {
              isJson.value = !isJson.value;
            }}
          >
            {isJson.value ? 'Edit as a list' : 'Edit as JSON'}
          </button>
        )}
      </div>
    </fieldset>
  );
}

interface ParameterProps {
  readonly id: string;
  readonly name: string;
  readonly member: DraftObject;
  readonly taken: readonly string[];
  readonly isRequired: boolean;
  readonly onChange: (name: string, member: DraftObject) => void;
  readonly onRequire: (isRequired: boolean) => void;
}

function Parameter({ id, name, member, taken, isRequired, onChange, onRequire }: ParameterProps) {
  const text = (it: Draft | undefined) => (typeof it === 'string' ? it : '');
  const type = text(member.type);
  // While a name is typed, it may be that of another parameter: two with one name would become one.
  const typed = useSignal<string | null>(null);
  const rename = () => {
    const next = typed.value ?? name;
    typed.value = null;
    if (next !== '' && next !== name && !taken.includes(next)) onChange(next, member);
  };
  const set = (key: string, next: string) => {
    const { [key]: _, ...rest } = member;
    onChange(name, next === '' ? rest : { ...member, [key]: next });
  };
  return (
    <div class="parameter">
      <input
        id={id}
        aria-label={`Name of ${name}`}
        value={typed.value ?? name}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
        onChange={rename}
      />
      <select
        aria-label={`Type of ${name}`}
        value={type}
        onChange={(event) => set('type', event.currentTarget.value)}
      >
        <option value="">any</option>
        {types.map((it) => (
          <option key={it} value={it}>
            {it}
          </option>
        ))}
      </select>
      <label class="inline">
        <input
          type="checkbox"
          checked={isRequired}
          onChange={(event) => onRequire(event.currentTarget.checked)}
        />
        required
      </label>
      <input
        class="wide"
        aria-label={`Description of ${name}`}
        placeholder="Description"
        value={text(member.description)}
        onInput={(event) => set('description', event.currentTarget.value)}
      />
    </div>
  );
}
