import type { Server } from '@modelcontextprotocol/server';

export interface DeskState {
  /** Tools that were added later. */
  more: object[];
  waiting: number;
  canceled: number;
  /** Called when a tool was added. */
  onGrow: () => void;
}

export function deskState(): DeskState;
export function makeDesk(state: DeskState, isNew: boolean): Server;
