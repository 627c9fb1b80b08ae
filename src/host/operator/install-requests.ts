import type {
  RequestedInstallation,
  RequestedInstallationState,
} from '../../model/requested-installation.js';
import type { Actor } from './operator-auth.js';

/** Packages that agents asked for. For people: do not offer these operations to an agent. */
export interface InstallRequests {
  /** Oldest first. Default: those that wait for a person. */
  list(states?: readonly RequestedInstallationState[]): Promise<readonly RequestedInstallation[]>;
  /** Refuses a waiting request. The agent is told, with the note. */
  refuse(id: string, note: string | undefined, actor: Actor): Promise<RequestedInstallation>;
}
