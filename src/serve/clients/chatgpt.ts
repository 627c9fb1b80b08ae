/** ChatGPT has no configuration file: it calls servers over the internet, and a person adds them in its settings. */
export function chatgptSteps(url: string | undefined): readonly string[] {
  return [
    'ChatGPT connects to MCP servers over the internet, with https. There is no file on this machine to write.',
    url === undefined
      ? 'Make "toolwharf serve" reachable under your own domain, behind a proxy with TLS and sign-in. Anyone with a token can then call its tools.'
      : `Make sure that ${url} is reachable from the internet over https and requires sign-in.`,
    'In ChatGPT, open Settings, Apps & Connectors, Advanced settings, and turn on Developer mode (your plan must include it).',
    `In Apps & Connectors choose Create. Enter a name and the URL ${url ?? 'https://YOUR-DOMAIN/mcp'}.`,
    'Choose the sign-in that your server requires, check the list of tools, and save.',
    'In a new chat choose +, Developer mode, and turn on the connector. ChatGPT still asks before tools make changes.',
  ];
}
