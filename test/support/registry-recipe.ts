/** A FindAgent package without code. */
export function recipe(name: string, version: string, description = 'Looks up the opening hours of a shop.') {
  return {
    'findagent.json': JSON.stringify({
      name: name
        .split('-')
        .map((it) => `${it.slice(0, 1).toUpperCase()}${it.slice(1)}`)
        .join(' '),
      version,
      description,
      kind: 'mcp-tool',
      category: 'travel',
      license: 'MIT',
      system_prompt: 'You answer questions about the opening hours of shops. Look them up with the tool.',
      example_prompts: [
        'When does the shop at the corner open?',
        'Is the bakery open on Sunday?',
        'How long is it open?',
      ],
      tools: [
        {
          name: 'opening_hours',
          description: 'The opening hours of one shop, by its name.',
          input_schema: {
            type: 'object',
            properties: { shop: { type: 'string', description: 'The name of the shop.' } },
            required: ['shop'],
            additionalProperties: false,
          },
          annotations: { title: 'Opening hours', readOnlyHint: true },
          action: { type: 'http', method: 'GET', url: 'https://shops.example.com/{shop}/hours' },
        },
      ],
    }),
  };
}
