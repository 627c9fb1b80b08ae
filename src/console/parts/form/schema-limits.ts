import type { Json } from '../../../model/json.js';
import type { FieldShape } from './field-shape.js';

/** What a value has to be like, for people. */
export function limitsText({ schema }: FieldShape): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const { minLength, maxLength, minItems, maxItems, pattern, format } = schema;
  const range = (from: Json | undefined, to: Json | undefined, what: string) =>
    from === undefined && to === undefined
      ? []
      : [
          from === undefined
            ? `at most ${to}${what}`
            : to === undefined
              ? `at least ${from}${what}`
              : `${from} to ${to}${what}`,
        ];
  return [
    ...range(minimum, maximum, ''),
    ...(exclusiveMinimum === undefined ? [] : [`more than ${exclusiveMinimum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`less than ${exclusiveMaximum}`]),
    ...(multipleOf === undefined ? [] : [`a multiple of ${multipleOf}`]),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
    ...(schema.uniqueItems === true ? ['each item once'] : []),
    ...(typeof format === 'string' ? [format] : []),
    ...(typeof pattern === 'string' ? [`pattern ${pattern}`] : []),
    ...(schema.default === undefined ? [] : [`default: ${short(JSON.stringify(schema.default))}`]),
  ].join(' · ');
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
