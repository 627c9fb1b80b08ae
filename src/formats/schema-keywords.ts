// The keywords of JSON Schema 2020-12 and which values they accept.

/** The type names of JSON Schema. */
export const jsonTypes = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** Which values a keyword accepts. */
export type KeywordShape =
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

/** The shape of each keyword's value. */
export const keywordShapes: Readonly<Record<string, KeywordShape>> = {
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

/** Each shape in the form that messages use: "… must be …". */
export const shapeDescriptions: Record<string, string> = {
  schema: 'a schema (an object, true or false)',
  'schema-list': 'a list of one or more schemas',
  'schema-map': 'an object whose values are schemas',
  'pattern-map': 'an object whose names are regular expressions and whose values are schemas',
  'dependency-map': 'an object whose values are schemas or lists of unique names',
  'flag-map': 'an object whose values are booleans',
  identifier: 'a URL without a fragment',
  text: 'a string',
  number: 'a number',
  positive: 'a number greater than 0',
  count: 'an integer of 0 or more',
  flag: 'a boolean',
  list: 'a list',
  'any-list': 'a list',
  names: 'a list of unique names',
  'names-map': 'an object whose values are lists of unique names',
  type: `one or more of ${jsonTypes.join(', ')} (without duplicates)`,
  reference: 'a string',
  anchor: 'a name of letters, digits, "-", "_" and "."',
  regex: 'a regular expression',
};
