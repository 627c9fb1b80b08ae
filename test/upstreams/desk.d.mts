import type { Server } from '@modelcontextprotocol/server';

export interface DeskState {
  more: object[];
  waiting: number;
  givenUp: number;
  /** Told when there is a tool more. */
  grown: () => void;
}

export function deskState(): DeskState;
export function makeDesk(state: DeskState, isNew: boolean): Server;
