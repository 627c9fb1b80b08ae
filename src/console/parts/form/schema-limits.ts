import type { Json } from '../../../model/json.js';
import type { FieldShape } from './field-shape.js';

/** What a value has to be like, for people. */
export function limitsText({ schema }: FieldShape): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const { minLength, maxLength, minItems, maxItems, pattern, format } = schema;
  const range = (from: Json | undefined, to: Json | undefined, what = '') => {
    if (from === undefined && to === undefined) return [];
    const counted = what === '' ? '' : (to ?? from) === 1 ? ` ${what}` : ` ${what}s`;
    if (from === undefined) return [`at most ${to}${counted}`];
    return [to === undefined ? `at least ${from}${counted}` : `${from} to ${to}${counted}`];
  };
  return [
    ...range(minimum, maximum),
    ...(exclusiveMinimum === undefined ? [] : [`more than ${exclusiveMinimum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`less than ${exclusiveMaximum}`]),
    ...(multipleOf === undefined ? [] : [`a multiple of ${multipleOf}`]),
    ...range(minLength, maxLength, 'character'),
    ...range(minItems, maxItems, 'item'),
    ...(schema.uniqueItems === true ? ['each item once'] : []),
    ...(typeof format === 'string' ? [format] : []),
    ...(typeof pattern === 'string' ? [`pattern ${pattern}`] : []),
    ...(schema.default === undefined ? [] : [`default: ${short(JSON.stringify(schema.default))}`]),
  ].join(' · ');
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
