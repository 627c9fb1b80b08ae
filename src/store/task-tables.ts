/** Tasks of MCP clients: `mcp_task` in the database. */
export interface McpTaskTable {
  id: string;
  principal: string;
  tool: string;
  state: string;
  message: string;
  created_at: number;
  updated_at: number;
  expires_at: number;
  approval: string | null;
  outcome: string | null;
}

export const mcpTaskTable = `-- Calls that MCP clients follow as tasks.
   create table mcp_task (
     id text primary key,
     principal text not null,
     tool text not null,
     state text not null,
     message text not null,
     created_at integer not null,
     updated_at integer not null,
     expires_at integer not null,
     approval text,
     outcome text
   ) strict;
   create index mcp_task_principal on mcp_task (principal, created_at);`;
