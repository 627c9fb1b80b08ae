// Popular MCP servers of the npm registry, as their own pages say to start them. `{work}` is a folder with one text file.
// `env`: placeholders where the server demands a key. `call`: one tool that works without network, and text of its answer.
const reference = '@modelcontextprotocol/server-';
const key = 'placeholder-key-1234567890';

export const servers = [
  { package: `${reference}everything`, call: ['echo', { message: 'hello' }, 'Echo: hello'] },
  {
    ...{ package: `${reference}filesystem`, args: ['{work}'], allow: ['read:{work}'] },
    call: ['read_text_file', { path: '{work}/note.txt' }, 'a note'],
  },
  { package: `${reference}memory`, call: ['read_graph', {}, 'entities'] },
  {
    // By default it writes beside its code, which is read-only here.
    package: `${reference}memory`,
    env: { MEMORY_FILE_PATH: '/toolwharf/data/memory.jsonl' },
    call: ['create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: [] }] }, 'Ada'],
  },
  {
    package: `${reference}sequential-thinking`,
    call: [
      'sequentialthinking',
      { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      'thoughtHistoryLength',
    ],
  },
  {
    ...{
      package: '@playwright/mcp',
      args: ['--executable-path', '/usr/lib/chromium/chromium', '--headless', '--isolated', '--no-sandbox'],
    },
    call: ['browser_snapshot', {}, 'about:blank'],
  },
  {
    package: 'chrome-devtools-mcp',
    args: [
      '--executablePath=/usr/lib/chromium/chromium',
      '--headless',
      '--isolated',
      '--chromeArg=--no-sandbox',
    ],
    call: ['list_pages', {}, 'about:blank'],
  },
  { package: '@upstash/context7-mcp' },
  { package: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: `ntn_${key}` } },
  { package: 'firecrawl-mcp', env: { FIRECRAWL_API_KEY: `fc-${key}` } },
  { package: 'tavily-mcp', env: { TAVILY_API_KEY: `tvly-${key}` } },
  { package: 'mcp-server-kubernetes' },
  { package: 'mongodb-mcp-server' },
  // More of those that many people use.
  { package: `${reference}github`, env: { GITHUB_PERSONAL_ACCESS_TOKEN: key } },
  { package: `${reference}puppeteer` },
  { package: 'exa-mcp-server', env: { EXA_API_KEY: key } },
  { package: '@brave/brave-search-mcp-server', env: { BRAVE_API_KEY: key } },
  { package: 'figma-developer-mcp', args: ['--stdio'], env: { FIGMA_API_KEY: key } },
  { package: 'task-master-ai' },
  { package: '@sentry/mcp-server', args: [`--access-token=${key}`] },
  {
    package: '@modelcontextprotocol/server-slack',
    env: { SLACK_BOT_TOKEN: `xoxb-${key}`, SLACK_TEAM_ID: 'T0' },
  },
  { package: '@modelcontextprotocol/server-brave-search', env: { BRAVE_API_KEY: key } },
  // These cannot be ready without network, or cannot be installed here; bench/RESULTS.md says why.
  { package: '@stripe/mcp', args: [`--api-key=rk_test_${key}`] },
  { package: '@supabase/mcp-server-supabase', env: { SUPABASE_ACCESS_TOKEN: `sbp_${'0a'.repeat(20)}` } },
  { package: '@heroku/mcp-server', env: { HEROKU_API_KEY: key } },
  { package: '@wonderwhy-er/desktop-commander' },
];
