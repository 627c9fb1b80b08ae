// Servers that work on local files and data. Writes in the workspace need no question unless a path is protected.
import { type KnownServer, keeps, removes } from './known-server.js';

const path = { path: 'destination' } as const;
const readsFile = (reason: string, inputs: Readonly<Record<string, 'query'>> = { path: 'query' }) => ({
  ...{ effects: ['read'] as const, network: false, inputs, reason },
});

export const filesystem: KnownServer = {
  npm: ['@modelcontextprotocol/server-filesystem'],
  tools: {
    read_file: readsFile('"Read the complete contents of a file": text by anybody'),
    read_text_file: readsFile('"Read the complete contents of a file … as text"'),
    read_media_file: readsFile('"Read an image or audio file"'),
    read_multiple_files: readsFile('"Read the contents of multiple files"', { paths: 'query' }),
    list_directory: readsFile('"Get a detailed listing": names of files can contain text of others'),
    list_directory_with_sizes: readsFile('"Get a detailed listing … including sizes"', {
      path: 'query',
      sortBy: 'query',
    }),
    directory_tree: readsFile('"Get a recursive tree view"', { path: 'query', excludePatterns: 'query' }),
    search_files: readsFile('"Recursively search for files"', {
      path: 'query',
      pattern: 'query',
      excludePatterns: 'query',
    }),
    get_file_info: readsFile('"Retrieve detailed metadata"'),
    list_allowed_directories: readsFile('"Returns the list of directories"', {}),
    write_file: keeps('"Create a new file or completely overwrite": the path decides', {
      ...path,
      content: 'content',
    }),
    edit_file: keeps('"Make line-based edits to a text file"', { ...path, edits: 'content' }),
    create_directory: keeps('"Create a new directory"', path),
    move_file: keeps('"Move or rename files": both ends decide', {
      source: 'identifier',
      destination: 'destination',
    }),
  },
};

export const memory: KnownServer = {
  npm: ['@modelcontextprotocol/server-memory'],
  tools: {
    create_entities: keeps('"Create multiple new entities": a local graph', { entities: 'content' }),
    create_relations: keeps('"Create multiple new relations"', { relations: 'content' }),
    add_observations: keeps('"Add new observations"', { observations: 'content' }),
    delete_entities: removes('"Delete multiple entities"', { entityNames: 'identifier' }, false),
    delete_observations: removes('"Delete specific observations"', { deletions: 'identifier' }, false),
    delete_relations: removes('"Delete multiple relations"', { relations: 'identifier' }, false),
    read_graph: readsFile(
      '"Read the entire knowledge graph": an earlier session may have stored text of others',
      {},
    ),
    search_nodes: readsFile('"Search for nodes"', { query: 'query' }),
    open_nodes: readsFile('"Open specific nodes"', { names: 'query' }),
  },
};

const repository = { repo_path: 'query' } as const;

export const git: KnownServer = {
  pypi: ['mcp-server-git'],
  tools: {
    git_status: readsFile('"Shows the working tree status"', repository),
    git_diff_unstaged: readsFile('"Shows changes … not yet staged"', repository),
    git_diff_staged: readsFile('"Shows changes that are staged"', repository),
    git_diff: readsFile('"Shows differences between branches or commits"', {
      ...repository,
      target: 'query',
    }),
    git_log: readsFile('"Shows the commit logs": messages by anybody', repository),
    git_show: readsFile('"Shows the contents of a commit"', { ...repository, revision: 'query' }),
    git_branch: readsFile('"List Git branches"', repository),
    git_add: keeps('"Adds file contents to the staging area"', { repo_path: 'query', files: 'destination' }),
    git_commit: keeps('"Records changes to the repository": nothing is pushed', {
      repo_path: 'query',
      message: 'content',
    }),
    git_create_branch: keeps('"Creates a new branch"', { repo_path: 'query', branch_name: 'content' }),
    git_checkout: keeps('"Switches branches"', { repo_path: 'query', branch_name: 'query' }),
    git_reset: keeps('"Unstages all staged changes": files stay as they are', repository),
  },
};

export const thinking: KnownServer = {
  npm: ['@modelcontextprotocol/server-sequential-thinking'],
  tools: {
    sequentialthinking: {
      ...{ effects: [], network: false, inputs: { thought: 'content' }, pure: true },
      reason: '"A detailed tool for … problem-solving through thoughts": it returns counters',
    },
  },
};

const clock = { effects: [], network: false, pure: true } as const;

export const time: KnownServer = {
  pypi: ['mcp-server-time'],
  tools: {
    get_current_time: {
      ...{ ...clock, inputs: { timezone: 'query' } },
      reason: '"Get current time in a specific timezones"',
    },
    convert_time: {
      ...{ ...clock, inputs: { source_timezone: 'query', time: 'query', target_timezone: 'query' } },
      reason: '"Convert time between timezones"',
    },
  },
};
