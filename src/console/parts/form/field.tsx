import type { ComponentChildren } from 'preact';
import { RevealedText } from '../revealed-text.js';
import type { FieldProps } from './field-props.js';
import { type FieldShape, wordOfShape } from './field-shape.js';
import { fieldId, useForm } from './form-context.js';
import { limitsText } from './schema-limits.js';

export interface ShapedFieldProps<Kind extends FieldShape['kind']> extends FieldProps {
  readonly shape: Extract<FieldShape, { kind: Kind }>;
}

/** The ids of the texts that describe a control. */
export function describedBy(id: string): string {
  return `${id}-help ${id}-problems`;
}

interface FieldFrameProps extends FieldProps {
  readonly shape: FieldShape;
  readonly children: ComponentChildren;
  /** Beside the name. */
  readonly actions?: ComponentChildren;
}

/** A control with its label, what is known about it, and what is wrong with it. */
export function FieldFrame({ name, shape, isRequired, pointer, children, actions }: FieldFrameProps) {
  const form = useForm();
  const id = fieldId(form, pointer);
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>
          <FieldName name={name} shape={shape} isRequired={isRequired} />
        </label>
        {actions}
      </div>
      {children}
      <FieldHelp id={id} shape={shape} />
      <FieldProblems pointer={pointer} />
    </div>
  );
}

export function FieldName({
  name,
  shape,
  isRequired,
}: Pick<FieldFrameProps, 'name' | 'shape' | 'isRequired'>) {
  const { title } = shape.schema;
  return (
    <span>
      <RevealedText text={name} />
      {typeof title === 'string' && title !== name && (
        <span class="dim">
          {' '}
          <RevealedText text={title} />
        </span>
      )}
      {isRequired ? (
        <span class="required" title="required">
          {' *'}
          <span class="sr-only"> required</span>
        </span>
      ) : null}
      <span class="dim"> {wordOfShape(shape)}</span>
    </span>
  );
}

/** What the schema says about a value, in its own words and in ours. */
export function FieldHelp({ id, shape }: { readonly id: string; readonly shape: FieldShape }) {
  const { description } = shape.schema;
  const limits = limitsText(shape);
  return (
    <div id={`${id}-help`} class="field-help dim">
      {typeof description === 'string' && description !== '' && (
        <p>
          <RevealedText text={description} />
        </p>
      )}
      {limits !== '' && (
        <p class="limits">
          <RevealedText text={limits} />
        </p>
      )}
    </div>
  );
}

/** The problems at a place, or also at all places inside of it. */
export function FieldProblems({
  pointer,
  inside = false,
}: {
  readonly pointer: string;
  readonly inside?: boolean;
}) {
  const form = useForm();
  const found = [...form.problems].flatMap(([at, messages]) => {
    if (at === pointer) return messages;
    return inside && at.startsWith(`${pointer}/`)
      ? messages.map((it) => `${at.slice(pointer.length)}: ${it}`)
      : [];
  });
  return (
    <div id={`${fieldId(form, pointer)}-problems`} aria-live="polite">
      {found.map((it) => (
        <p key={it} class="problem">
          <RevealedText text={it} />
        </p>
      ))}
    </div>
  );
}

/** Whether something is wrong at a place. */
export function useIsInvalid(pointer: string): boolean {
  return useForm().problems.has(pointer);
}
