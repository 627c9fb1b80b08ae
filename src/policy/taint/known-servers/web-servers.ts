// Servers that search the web or fetch pages, and servers that drive a browser.
import { type KnownServer, type KnownTool, looksUp, reads, sends, visits } from './known-server.js';

const query = { query: 'query' } as const;
const search = (reason: string) => looksUp(reason, query);

export const fetchServer: KnownServer = {
  pypi: ['mcp-server-fetch'],
  tools: { fetch: visits('"Fetches a URL from the internet"', { url: 'destination' }) },
};

export const brave: KnownServer = {
  npm: ['@modelcontextprotocol/server-brave-search', '@brave/brave-search-mcp-server'],
  tools: {
    brave_web_search: search('"Performs a web search": results are text of others'),
    brave_local_search: search('"Searches for local businesses and places"'),
    brave_video_search: search('"Searches for videos"'),
    brave_image_search: search('"Searches for images"'),
    brave_news_search: search('"Searches for news articles"'),
    brave_summarizer: reads('"Retrieves AI-generated summaries" of an earlier search', { key: 'query' }),
    brave_llm_context: search('"Retrieves pre-extracted web content"'),
  },
};

const urls = { urls: 'destination' } as const;
const url = { url: 'destination' } as const;

export const tavily: KnownServer = {
  npm: ['tavily-mcp'],
  tools: Object.fromEntries(
    ['-', '_'].flatMap((sign): [string, KnownTool][] => [
      [`tavily${sign}search`, search('"Search the web"')],
      [`tavily${sign}extract`, visits('"Extract content from URLs"', urls)],
      [
        `tavily${sign}crawl`,
        visits('"Crawl a website starting from a URL"', { ...url, instructions: 'query' }),
      ],
      [`tavily${sign}map`, visits('"Map a website\'s structure"', { ...url, instructions: 'query' })],
      [`tavily${sign}research`, looksUp('"Perform comprehensive research"', { input: 'query' })],
    ]),
  ),
};

export const exa: KnownServer = {
  npm: ['exa-mcp-server'],
  hosts: ['mcp.exa.ai'],
  tools: {
    web_search_exa: search('"Search the web"'),
    get_code_context_exa: search('"Search … for code snippets and documentation"'),
    crawling_exa: visits('"Extract content from specific URLs"', url),
    web_fetch_exa: visits('"Read a webpage\'s full content"', urls),
  },
};

export const context7: KnownServer = {
  npm: ['@upstash/context7-mcp'],
  hosts: ['mcp.context7.com'],
  tools: {
    'resolve-library-id': looksUp('"Resolves a package name to a library ID"', {
      libraryName: 'query',
      query: 'query',
    }),
    'get-library-docs': looksUp('"Fetches up-to-date documentation for a library"', {
      context7CompatibleLibraryID: 'query',
      topic: 'query',
    }),
    'query-docs': looksUp('"Retrieves … documentation and code examples"', {
      libraryId: 'query',
      query: 'query',
    }),
  },
};

export const firecrawl: KnownServer = {
  npm: ['firecrawl-mcp'],
  tools: {
    firecrawl_scrape: visits('"Scrape content from a single URL"', url),
    firecrawl_map: visits('"Map a website to discover all indexed URLs"', { ...url, search: 'query' }),
    firecrawl_crawl: visits('"Starts a crawl job on a website"', url),
    firecrawl_extract: visits('"Extract structured information from web pages"', {
      ...urls,
      prompt: 'query',
    }),
    firecrawl_search: search('"Search the web"'),
    firecrawl_check_crawl_status: reads('"Check the status of a crawl job"', { id: 'handle' }),
  },
};

const element = { element: 'query', ref: 'handle', target: 'handle' } as const;
const act = (reason: string, inputs: KnownTool['inputs'] = {}) =>
  sends(reason, { ...element, ...inputs }, { returns: 'third-party' });
const look = (reason: string, inputs: KnownTool['inputs'] = {}) => reads(reason, inputs);

export const playwright: KnownServer = {
  npm: ['@playwright/mcp'],
  tools: {
    browser_navigate: visits('"Navigate to a URL"', url),
    browser_navigate_back: look('"Go back to the previous page"'),
    browser_snapshot: look('"Capture accessibility snapshot of the current page": text of the page', {
      filename: 'query',
      target: 'query',
    }),
    browser_take_screenshot: look('"Take a screenshot of the current page"', {
      ...{ element: 'query', ref: 'query', target: 'query', filename: 'query', type: 'query' },
    }),
    browser_console_messages: look('"Returns all console messages"', { level: 'query', filename: 'query' }),
    browser_network_requests: look('"Returns all network requests"', { filter: 'query', filename: 'query' }),
    browser_wait_for: look('"Wait for text to appear"', { text: 'query', textGone: 'query', time: 'query' }),
    browser_hover: look('"Hover over element on page"', { element: 'query', ref: 'query', target: 'query' }),
    browser_resize: look('"Resize the browser window"', { width: 'query', height: 'query' }),
    browser_close: look('"Close the page"'),
    browser_tabs: look('"List, create, close, or select a browser tab"', { action: 'query', index: 'query' }),
    browser_click: act('"Perform click on a web page": the element was shown by this server', {
      button: 'content',
      modifiers: 'content',
    }),
    browser_drag: act('"Perform drag and drop between two elements"', {
      ...{ startElement: 'query', startRef: 'handle', endElement: 'query', endRef: 'handle' },
      ...{ startTarget: 'handle', endTarget: 'handle' },
    }),
    browser_type: act('"Type text into editable element": text leaves to the host of the page', {
      text: 'content',
    }),
    browser_fill_form: act('"Fill multiple form fields"', { fields: 'content' }),
    browser_select_option: act('"Select an option in a dropdown"', { values: 'content' }),
    browser_press_key: act('"Press a key on the keyboard"', { key: 'content' }),
  },
};

export const chromeDevtools: KnownServer = {
  npm: ['chrome-devtools-mcp'],
  tools: {
    navigate_page: visits('"Navigates the currently selected page to a URL"', { ...url, type: 'query' }),
    new_page: visits('"Creates a new page"', url),
    list_pages: look('"Get a list of pages open in the browser"'),
    select_page: look('"Select a page as a context"', { pageIdx: 'query', pageId: 'query' }),
    close_page: look('"Closes the page by its index"', { pageIdx: 'query', pageId: 'query' }),
    take_snapshot: look('"Take a text snapshot of the currently selected page"', { filePath: 'query' }),
    take_screenshot: look('"Take a screenshot"', { uid: 'query', format: 'query', filePath: 'query' }),
    wait_for: look('"Wait for the specified text to appear"', { text: 'query' }),
    hover: look('"Hover over the provided element"', { uid: 'query' }),
    list_console_messages: look('"List all console messages"', { types: 'query' }),
    get_console_message: look('"Gets a console message by its ID"', { msgid: 'query' }),
    list_network_requests: look('"List all requests"', { resourceTypes: 'query' }),
    get_network_request: look('"Gets a network request"', { reqid: 'query', url: 'query' }),
    click: sends('"Clicks on the provided element"', { uid: 'handle' }, { returns: 'third-party' }),
    drag: sends(
      '"Drag an element onto another element"',
      { from_uid: 'handle', to_uid: 'handle' },
      {
        returns: 'third-party',
      },
    ),
    fill: sends('"Type text into a input"', { uid: 'handle', value: 'content' }, { returns: 'third-party' }),
    fill_form: sends(
      '"Fill out multiple form elements at once"',
      { elements: 'content', uid: 'handle' },
      {
        returns: 'third-party',
      },
    ),
    press_key: sends(
      '"Press a key or key combination"',
      { key: 'content', uid: 'handle' },
      {
        returns: 'third-party',
      },
    ),
  },
};

export const puppeteer: KnownServer = {
  npm: ['@modelcontextprotocol/server-puppeteer'],
  tools: {
    puppeteer_navigate: visits('"Navigate to a URL"', url),
    puppeteer_screenshot: look('"Take a screenshot"', { name: 'query', selector: 'query' }),
    puppeteer_hover: look('"Hover an element on the page"', { selector: 'query' }),
  },
};
