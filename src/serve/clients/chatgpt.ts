/** ChatGPT has no file to write: it asks servers over the internet, so a person adds them in its settings. */
export function chatgptSteps(url: string | undefined): readonly string[] {
  return [
    'ChatGPT reaches MCP servers from the internet only, over https. Nothing on this machine can be written for it.',
    url === undefined
      ? 'Put "toolwharf serve" behind a name of your own with TLS and sign-in in front; tools then answer whoever holds a token.'
      : `Make sure that ${url} answers from the internet, over https, and asks for sign-in.`,
    'In ChatGPT: Settings, Apps & Connectors, Advanced settings, switch on Developer mode (your plan must have it).',
    `Back in Apps & Connectors choose Create, and give it a name and the URL ${url ?? 'https://YOUR-NAME/mcp'}.`,
    'Choose the sign-in that your server asks for, read the list of tools it shows, and save.',
    'In a new chat choose + , Developer mode, and switch the connector on. Tools that change something still ask first.',
  ];
}
