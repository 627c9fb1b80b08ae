export type Protocol = 'nexo' | 'mcp';
export type Manner = 'good' | 'crash' | 'hang' | 'flood' | 'garbage' | 'stubborn' | 'mute';

export function crew(protocol: Protocol, id: string, manner: Manner): Record<string, string>;
