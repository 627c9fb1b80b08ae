import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { JsonSchema } from '../../../model/json.js';
import { type Draft, isDraftObject } from './draft.js';
import { describedBy, FieldHelp, FieldName, FieldProblems, type ShapedFieldProps } from './field.js';
import { fieldShape, type Member } from './field-shape.js';
import { fieldId, focusField, useForm } from './form-context.js';
import { initialValue } from './schema-fit.js';

/** An object: its members, and others if the schema allows them. */
export function ObjectField(props: ShapedFieldProps<'object'>) {
  const { shape, value, onChange, pointer, name, isRequired } = props;
  const form = useForm();
  const id = fieldId(form, pointer);
  if (pointer === '') return <ObjectMembers {...props} />;
  const create = () => {
    onChange(initialValue(form.root, shape.schema) ?? {});
    setTimeout(() => focusField(form, pointer));
  };
  return (
    <fieldset id={id} tabIndex={-1} aria-describedby={describedBy(id)}>
      <legend>
        <FieldName name={name} shape={shape} isRequired={isRequired} />
      </legend>
      <FieldHelp id={id} shape={shape} />
      {value === undefined ? (
        <>
          <FieldProblems pointer={pointer} inside />
          <button type="button" class="button small" onClick={create}>
            Add <span class="sr-only">{name}</span>
          </button>
        </>
      ) : (
        <>
          <ObjectMembers {...props} />
          {!isRequired && (
            <button type="button" class="text remove" onClick={() => onChange(undefined)}>
              Leave out <span class="sr-only">{name}</span>
            </button>
          )}
        </>
      )}
    </fieldset>
  );
}

type ObjectProps = ShapedFieldProps<'object'>;

/** `names`: only these of the known members, and others only with `hasOthers`. Default: everything. */
export function ObjectMembers({
  shape,
  value,
  onChange,
  pointer,
  names,
  hasOthers = names === undefined,
}: ObjectProps & { readonly names?: readonly string[]; readonly hasOthers?: boolean }) {
  const form = useForm();
  const object = isDraftObject(value) ? value : {};
  const known = shape.members.filter((it) => names?.includes(it.name) ?? true);
  const isSet = (it: Member) => Object.hasOwn(object, it.name) || it.isRequired;
  const unset = known.filter((it) => !isSet(it));
  // It stays a menu while it is emptied: filling in one field must not make a dozen others appear.
  const wasMenu = useRef(false);
  wasMenu.current ||= unset.length > form.maxUnset;
  const isMenu = wasMenu.current;
  // Once chosen from the menu, a member stays in its place, also while it is empty.
  const opened = useSignal<ReadonlySet<string>>(new Set());
  const hasProblem = (it: Member) => form.problems.has(at(pointer, it.name));
  const isShown = (it: Member) => isSet(it) || opened.value.has(it.name) || hasProblem(it);
  const shown = isMenu ? known.filter(isShown) : known;
  const listed = isMenu ? unset.filter((it) => !isShown(it)) : [];
  const set = (key: string, next: Draft | undefined) => {
    if (next === undefined) {
      const { [key]: _, ...rest } = object;
      if (Object.hasOwn(object, key)) opened.value = new Set([...opened.peek(), key]);
      onChange(rest);
    } else onChange({ ...object, [key]: next });
  };
  const open = (key: string) => {
    opened.value = new Set([...opened.peek(), key]);
    const member = known.find((it) => it.name === key);
    const first = member && initialValue(form.root, member.schema);
    if (first !== undefined) set(key, first);
    setTimeout(() => focusField(form, at(pointer, key)));
  };
  const extra = Object.keys(object).filter((it) => !shape.members.some(({ name }) => name === it));
  return (
    <div class="members">
      <FieldProblems pointer={pointer} />
      {shown.map((it) => (
        <form.Field
          key={it.name}
          schema={it.schema}
          value={Object.hasOwn(object, it.name) ? object[it.name] : undefined}
          onChange={(next) => set(it.name, next)}
          pointer={at(pointer, it.name)}
          name={it.name}
          isRequired={it.isRequired}
        />
      ))}
      {listed.length > 0 && (
        <select
          class="add-member"
          aria-label="Add one of the other members"
          value=""
          onChange={(event) => {
            const key = event.currentTarget.value;
            event.currentTarget.value = '';
            if (key !== '') open(key);
          }}
        >
          <option value="">Add… ({listed.length} more)</option>
          {listed.map((it) => (
            <option key={it.name} value={it.name}>
              {it.name}
            </option>
          ))}
        </select>
      )}
      {hasOthers && shape.more !== false && (
        <OtherMembers
          {...{ object, extra, pointer, set }}
          more={shape.more}
          hasMembers={shape.members.length > 0}
        />
      )}
    </div>
  );
}

interface OtherMembersProps {
  readonly object: { readonly [name: string]: Draft };
  readonly extra: readonly string[];
  readonly more: JsonSchema;
  readonly hasMembers: boolean;
  readonly pointer: string;
  readonly set: (name: string, value: Draft | undefined) => void;
}

/** Members whose names the caller chooses. */
function OtherMembers({ object, extra, more, hasMembers, pointer, set }: OtherMembersProps) {
  const form = useForm();
  const name = useSignal('');
  const isOpen = useSignal(!hasMembers);
  const isTaken = Object.hasOwn(object, name.value);
  const canAdd = name.value !== '' && !isTaken;
  const add = () => {
    if (!canAdd) return;
    const key = name.value;
    const kind = fieldShape(form.root, more).kind;
    set(
      key,
      initialValue(form.root, more) ??
        (kind === 'text' ? '' : kind === 'number' ? 0 : kind === 'boolean' ? false : null),
    );
    name.value = '';
    setTimeout(() => focusField(form, at(pointer, key)));
  };
  return (
    <>
      {extra.map((it) => (
        <div class="other-member" key={it}>
          <form.Field
            schema={more}
            value={object[it]}
            onChange={(next) => set(it, next)}
            pointer={at(pointer, it)}
            name={it}
            isRequired={false}
          />
          <button type="button" class="icon" aria-label={`Remove ${it}`} onClick={() => set(it, undefined)}>
            ×
          </button>
        </div>
      ))}
      {!isOpen.value ? (
        <button
          type="button"
          class="text add-named"
          onClick={() => {
            isOpen.value = true;
          }}
        >
          Add another member
        </button>
      ) : (
        <div class="add-other">
          <input
            aria-label={`Name of ${hasMembers ? 'another' : 'a'} member`}
            placeholder={hasMembers ? 'Name of another member' : 'Name'}
            value={name.value}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add();
            }}
          />
          <button type="button" class="button small" disabled={!canAdd} onClick={add}>
            Add
          </button>
          {isTaken && <p class="problem">There is a member with this name.</p>}
        </div>
      )}
    </>
  );
}

function at(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
