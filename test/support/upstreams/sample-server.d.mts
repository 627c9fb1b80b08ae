import type { Server } from '@modelcontextprotocol/server';

export interface SampleState {
  /** Tools that were added later. */
  more: object[];
  waiting: number;
  canceled: number;
  /** Called when a tool was added. */
  onGrow: () => void;
}

export function sampleState(): SampleState;
export function makeSampleServer(state: SampleState, isNew: boolean): Server;
