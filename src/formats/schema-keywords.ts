/** The keywords of JSON Schema 2020-12 with the shape of what they hold. */

export const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

export type Shape =
  | 'schema'
  | 'schema-list'
  | 'schema-map'
  | 'pattern-map'
  | 'dependency-map'
  | 'flag-map'
  | 'identifier'
  | 'text'
  | 'number'
  | 'positive'
  | 'count'
  | 'flag'
  | 'any'
  | 'list'
  | 'any-list'
  | 'names'
  | 'names-map'
  | 'type'
  | 'reference'
  | 'anchor'
  | 'regex';

export const shapes: Readonly<Record<string, Shape>> = {
  $id: 'identifier',
  $schema: 'text',
  $ref: 'reference',
  $anchor: 'anchor',
  $dynamicRef: 'reference',
  $dynamicAnchor: 'anchor',
  $vocabulary: 'flag-map',
  $recursiveRef: 'reference',
  $recursiveAnchor: 'anchor',
  $comment: 'text',
  $defs: 'schema-map',
  definitions: 'schema-map',
  prefixItems: 'schema-list',
  items: 'schema',
  contains: 'schema',
  additionalProperties: 'schema',
  properties: 'schema-map',
  patternProperties: 'pattern-map',
  dependentSchemas: 'schema-map',
  propertyNames: 'schema',
  if: 'schema',
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
  then: 'schema',
  else: 'schema',
  allOf: 'schema-list',
  anyOf: 'schema-list',
  oneOf: 'schema-list',
  not: 'schema',
  unevaluatedItems: 'schema',
  unevaluatedProperties: 'schema',
  type: 'type',
  const: 'any',
  enum: 'list',
  multipleOf: 'positive',
  maximum: 'number',
  exclusiveMaximum: 'number',
  minimum: 'number',
  exclusiveMinimum: 'number',
  maxLength: 'count',
  minLength: 'count',
  pattern: 'regex',
  maxItems: 'count',
  minItems: 'count',
  uniqueItems: 'flag',
  maxContains: 'count',
  minContains: 'count',
  maxProperties: 'count',
  minProperties: 'count',
  required: 'names',
  dependentRequired: 'names-map',
  dependencies: 'dependency-map',
  title: 'text',
  description: 'text',
  default: 'any',
  deprecated: 'flag',
  readOnly: 'flag',
  writeOnly: 'flag',
  examples: 'any-list',
  format: 'text',
  contentEncoding: 'text',
  contentMediaType: 'text',
  contentSchema: 'schema',
};

export const wanted: Record<string, string> = {
  schema: 'a schema (an object, true or false)',
  'schema-list': 'a list of at least one schema',
  'schema-map': 'an object whose values are schemas',
  'pattern-map': 'an object whose names are regular expressions and whose values are schemas',
  'dependency-map': 'an object whose values are schemas or lists of different names',
  'flag-map': 'an object whose values are true or false',
  identifier: 'a URL without a fragment',
  text: 'text',
  number: 'a number',
  positive: 'a number above 0',
  count: 'a whole number of at least 0',
  flag: 'true or false',
  list: 'a list',
  'any-list': 'a list',
  names: 'a list of different names',
  'names-map': 'an object whose values are lists of different names',
  type: `one or several different ones of ${types.join(', ')}`,
  reference: 'text',
  anchor: 'a name of letters, digits, "-", "_" and "."',
  regex: 'a regular expression',
};
