/** What people need to know about a client with a configuration file that `connect` writes. */
export interface KnownClient {
  readonly title: string;
  /** Whether its file supports servers by URL. */
  readonly http: boolean;
  /** What a person must do so that the client loads the change. */
  readonly next: string;
}

/** By the name that `connect` takes. */
export const knownClients = {
  'claude-desktop': {
    title: 'Claude Desktop',
    http: false,
    next: 'quit Claude Desktop and start it again',
  },
  'claude-code': {
    title: 'Claude Code',
    http: true,
    next: 'start Claude Code in this project; "/mcp" shows the server',
  },
  cursor: {
    title: 'Cursor',
    http: true,
    next: 'turn on the server in the MCP settings of Cursor',
  },
  vscode: {
    title: 'VS Code',
    http: true,
    next: 'run "MCP: List Servers" in VS Code and start the server',
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    http: true,
    next: 'restart Gemini CLI; "/mcp" shows the server',
  },
  windsurf: {
    title: 'Windsurf',
    http: true,
    next: 'refresh the MCP servers in Windsurf',
  },
  codex: {
    title: 'Codex',
    http: true,
    next: 'start Codex again; "/mcp" shows the server',
  },
  zed: {
    title: 'Zed',
    http: true,
    next: 'look at the MCP servers in the Agent Panel of Zed',
  },
  cline: {
    title: 'Cline',
    http: true,
    next: 'look at the MCP servers in Cline',
  },
  opencode: {
    title: 'OpenCode',
    http: true,
    next: 'start OpenCode again',
  },
  goose: {
    title: 'Goose',
    http: true,
    next: 'start a new Goose session',
  },
  continue: {
    title: 'Continue',
    http: true,
    next: 'reload Continue; its servers work in agent mode',
  },
  'lm-studio': {
    title: 'LM Studio',
    http: true,
    next: 'turn on the server in the Program tab of LM Studio',
  },
} as const satisfies Readonly<Record<string, KnownClient>>;

/**
 * ChatGPT has no configuration file: it calls servers over the internet, and a person adds them in its settings. `url`:
 * where it reaches this host; undefined if that is not known.
 */
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
