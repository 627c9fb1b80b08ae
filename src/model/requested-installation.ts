/** waiting → installed, refused or expired. */
export type RequestedInstallationState = 'waiting' | 'installed' | 'refused' | 'expired';

/** A package that an agent asked for. Nothing was fetched: source and reason are only what the agent wrote. */
export interface RequestedInstallation {
  readonly id: string;
  /** A valid source. A path is absolute, and may lead to nothing. */
  readonly source: string;
  readonly reason: string;
  /** Where the agent may have it from, with the text around it: a result that named the source. Null: no result that it saw. */
  readonly seenIn: string | null;
  /** Who asked, with which client and workspace. */
  readonly principal: string;
  readonly client: string;
  readonly root: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: RequestedInstallationState;
  /** Who refused or installed it. Null: nobody yet. */
  readonly decision: RequestDecision | null;
  /** What was installed. Null in all other states. */
  readonly installed: { readonly package: string; readonly plan: string } | null;
}

export interface RequestDecision {
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What the agent is told about a refusal. Empty: nothing. */
  readonly note: string;
}

/** What an agent asks for. */
export interface AgentRequest {
  readonly source: string;
  /** Why the agent needs it, for the person who decides. */
  readonly reason: string;
}

/** What an agent learns about its own request. It never contains a plan or a value. */
export interface AgentRequestAnswer {
  /** Id of the request. */
  readonly request: string;
  readonly state: RequestedInstallationState;
  /** When a waiting request ends. Milliseconds since 1970. */
  readonly expiresAt: number;
  /** What the person said who refused it. */
  readonly note?: string | undefined;
  /** The installed package. */
  readonly package?: string | undefined;
  /** Its tools that this session can call now, by their exposed names. */
  readonly tools?: readonly string[] | undefined;
}
