// Servers that act in somebody's account. Who gets a message or an invitation is a destination.
import { type KnownServer, reads, removes, sends } from './known-server.js';

/** Others see what is written in a repository, also without an assignee: all of these are objects of the act. */
const repo = { owner: 'identifier', repo: 'identifier' } as const;
const repoQuery = { owner: 'query', repo: 'query' } as const;
const readsRepo = (reason: string, more: Readonly<Record<string, 'query'>> = {}) =>
  reads(reason, { ...repoQuery, page: 'query', perPage: 'query', ...more });

export const github: KnownServer = {
  npm: ['@modelcontextprotocol/server-github'],
  hosts: ['api.githubcopilot.com'],
  tools: {
    get_file_contents: readsRepo('"Get the contents of a file": anybody may have written it', {
      path: 'query',
      branch: 'query',
      ref: 'query',
      sha: 'query',
    }),
    list_commits: readsRepo('"Get list of commits": messages by anybody', { sha: 'query', author: 'query' }),
    list_issues: readsRepo('"List issues": text by anybody', {
      ...{ state: 'query', labels: 'query', sort: 'query', direction: 'query', since: 'query' },
    }),
    get_issue: readsRepo('"Get details of a specific issue"', { issue_number: 'query' }),
    search_repositories: reads('"Search for GitHub repositories"', { query: 'query' }),
    search_code: reads('"Search for code"', { q: 'query', query: 'query', sort: 'query', order: 'query' }),
    search_issues: reads('"Search for issues and pull requests"', {
      ...{ q: 'query', query: 'query', sort: 'query', order: 'query', owner: 'query', repo: 'query' },
    }),
    search_users: reads('"Search for users"', { q: 'query', query: 'query', sort: 'query', order: 'query' }),
    get_pull_request: readsRepo('"Get details of a specific pull request"', { pull_number: 'query' }),
    list_pull_requests: readsRepo('"List and filter repository pull requests"', {
      ...{ state: 'query', head: 'query', base: 'query', sort: 'query', direction: 'query' },
    }),
    get_pull_request_files: readsRepo('"Get the list of files changed"', { pull_number: 'query' }),
    get_pull_request_status: readsRepo('"Get the combined status of all status checks"', {
      pull_number: 'query',
    }),
    get_pull_request_comments: readsRepo('"Get the review comments"', { pull_number: 'query' }),
    get_pull_request_reviews: readsRepo('"Get the reviews"', { pull_number: 'query' }),
    create_or_update_file: sends('"Create or update a single file in a GitHub repository"', {
      ...{ ...repo, path: 'identifier', branch: 'identifier', content: 'content', message: 'content' },
      sha: 'query',
    }),
    push_files: sends('"Push multiple files … in a single commit"', {
      ...{ ...repo, branch: 'identifier', files: 'content', message: 'content' },
    }),
    create_repository: sends('"Create a new GitHub repository in your account": it can be public', {
      ...{ name: 'identifier', description: 'content', organization: 'destination' },
    }),
    create_issue: sends('"Create a new issue": others see it', {
      ...{ ...repo, title: 'content', body: 'content', labels: 'content', assignees: 'identifier' },
    }),
    update_issue: sends('"Update an existing issue"', {
      ...{ ...repo, issue_number: 'identifier', title: 'content', body: 'content', labels: 'content' },
      ...{ assignees: 'identifier', state: 'content', milestone: 'content' },
    }),
    add_issue_comment: sends('"Add a comment to an existing issue"', {
      ...{ ...repo, issue_number: 'identifier', body: 'content' },
    }),
    create_pull_request: sends('"Create a new pull request"', {
      ...{ ...repo, title: 'content', body: 'content', head: 'identifier', base: 'identifier' },
    }),
    create_pull_request_review: sends('"Create a review on a pull request"', {
      ...{ ...repo, pull_number: 'identifier', body: 'content', event: 'content', comments: 'content' },
      commit_id: 'query',
    }),
    merge_pull_request: sends(
      '"Merge a pull request"',
      {
        ...{ ...repo, pull_number: 'identifier', commit_title: 'content', commit_message: 'content' },
        merge_method: 'content',
      },
      { level: 'pay' },
    ),
    update_pull_request_branch: sends('"Update a pull request branch"', {
      ...repo,
      pull_number: 'identifier',
    }),
    fork_repository: sends('"Fork a GitHub repository to your account"', {
      ...{ ...repo, organization: 'destination' },
    }),
    create_branch: sends('"Create a new branch"', {
      ...{ ...repo, branch: 'identifier', from_branch: 'identifier' },
    }),
  },
};

const channel = { channel_id: 'destination' } as const;

export const slack: KnownServer = {
  npm: ['@modelcontextprotocol/server-slack'],
  tools: {
    slack_list_channels: reads('"List public … channels": names by anybody', {
      limit: 'query',
      cursor: 'query',
    }),
    slack_get_channel_history: reads('"Get recent messages from a channel": text by anybody', {
      ...{ channel_id: 'query', limit: 'query' },
    }),
    slack_get_thread_replies: reads('"Get all replies in a message thread"', {
      ...{ channel_id: 'query', thread_ts: 'query' },
    }),
    slack_get_users: reads('"Get a list of all users"', { cursor: 'query', limit: 'query' }),
    slack_get_user_profile: reads('"Get detailed profile information"', { user_id: 'query' }),
    slack_post_message: sends('"Post a new message to a Slack channel"', { ...channel, text: 'content' }),
    slack_reply_to_thread: sends('"Reply to a specific message thread"', {
      ...{ ...channel, thread_ts: 'query', text: 'content' },
    }),
    slack_add_reaction: sends('"Add a reaction emoji to a message"', {
      ...{ ...channel, timestamp: 'query', reaction: 'content' },
    }),
  },
};

const page = { page_id: 'query', block_id: 'query', database_id: 'query' } as const;
const place = { parent: 'identifier', page_id: 'identifier', block_id: 'identifier' } as const;

export const notion: KnownServer = {
  npm: ['@notionhq/notion-mcp-server'],
  tools: {
    'API-get-user': reads('"Retrieve a user"', { user_id: 'query' }),
    'API-get-users': reads('"List all users"', { start_cursor: 'query', page_size: 'query' }),
    'API-get-self': reads('"Retrieve your token\'s bot user"'),
    'API-post-search': reads('"Search by title"', {
      ...{ query: 'query', sort: 'query', filter: 'query', start_cursor: 'query', page_size: 'query' },
    }),
    'API-post-database-query': reads('"Query a database"', {
      ...{ ...page, filter: 'query', sorts: 'query', start_cursor: 'query', page_size: 'query' },
    }),
    'API-get-block-children': reads('"Retrieve block children": text by anybody who may write there', {
      ...{ ...page, start_cursor: 'query', page_size: 'query' },
    }),
    'API-retrieve-a-block': reads('"Retrieve a block"', page),
    'API-retrieve-a-page': reads('"Retrieve a page"', { ...page, filter_properties: 'query' }),
    'API-retrieve-a-page-property': reads('"Retrieve a page property item"', {
      ...{ ...page, property_id: 'query', start_cursor: 'query', page_size: 'query' },
    }),
    'API-retrieve-a-database': reads('"Retrieve a database"', page),
    'API-retrieve-a-comment': reads('"Retrieve comments"', {
      ...{ ...page, start_cursor: 'query', page_size: 'query' },
    }),
    'API-post-page': sends('"Create a page": everybody with access to its parent sees it', {
      ...{ ...place, properties: 'content', children: 'content', icon: 'content', cover: 'content' },
    }),
    'API-patch-page': sends('"Update page properties"', {
      ...{ ...place, properties: 'content', archived: 'control', in_trash: 'control' },
      ...{ icon: 'content', cover: 'content' },
    }),
    'API-patch-block-children': sends('"Append block children"', {
      ...place,
      children: 'content',
      after: 'query',
    }),
    'API-update-a-block': sends('"Update a block"', { ...place, type: 'content', archived: 'control' }),
    'API-create-a-comment': sends('"Create comment"', {
      ...{ ...place, discussion_id: 'identifier', rich_text: 'content' },
    }),
    'API-delete-a-block': removes('"Delete a block"', { block_id: 'identifier' }),
  },
};

export const gmail: KnownServer = {
  npm: ['@gongrzhe/server-gmail-autoauth-mcp'],
  tools: {
    read_email: reads('"Retrieves the content of a specific email": text by anybody', { messageId: 'query' }),
    search_emails: reads('"Searches for emails using Gmail search syntax"', {
      ...{ query: 'query', maxResults: 'query' },
    }),
    list_email_labels: reads('"Retrieves all available Gmail labels"'),
    send_email: sends('"Sends a new email"', {
      ...{ to: 'destination', cc: 'destination', bcc: 'destination', subject: 'content', body: 'content' },
      ...{ htmlBody: 'content', mimeType: 'query', threadId: 'query', inReplyTo: 'query' },
      attachments: 'identifier',
    }),
    draft_email: {
      ...{ effects: ['write'], returns: 'status' },
      inputs: {
        ...{ to: 'query', cc: 'query', bcc: 'query', subject: 'content', body: 'content' },
        ...{ htmlBody: 'content', mimeType: 'query', threadId: 'query', inReplyTo: 'query' },
        attachments: 'content',
      },
      reason: '"Draft a new email": nothing is sent until somebody sends it',
    },
    modify_email: {
      ...{ effects: ['write'], returns: 'status' },
      inputs: {
        ...{
          messageId: 'identifier',
          labelIds: 'content',
          addLabelIds: 'content',
          removeLabelIds: 'content',
        },
      },
      reason: '"Modifies email labels": the own mailbox only',
    },
    delete_email: removes('"Permanently deletes an email"', { messageId: 'identifier' }),
    batch_delete_emails: removes('"Permanently deletes multiple emails"', {
      ...{ messageIds: 'identifier', batchSize: 'query' },
    }),
  },
};
