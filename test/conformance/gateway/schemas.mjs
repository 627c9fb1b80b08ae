// Input schemas of the conformance server, and the forms that it shows.
const titled = (kind) => [1, 2, 3].map((it) => ({ const: `value${it}`, title: `${kind} ${it}` }));
const form = (properties) => ({ type: 'object', properties, required: [] });

export const forms = {
  elicitation_sep1034_defaults: form({
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  elicitation_sep1330_enums: form({
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('Choice') },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  }),
};

const texts = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((it) => [it, { type: 'string' }])),
  required: names,
});

export const schemas = {
  none: { type: 'object', properties: {} },
  sampling: texts('prompt'),
  elicitation: texts('message'),
  by_header: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    required: ['region'],
  },
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};
