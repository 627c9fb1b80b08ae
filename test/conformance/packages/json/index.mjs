export const handlers = {
  schema_2020_12_tool: (given) => given,
  by_header: ({ region }) => ({ region }),
};
