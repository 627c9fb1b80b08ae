/** Instructions and texts for a language model, kept apart. */
export interface ModelQuestion {
  readonly system: string;
  readonly user: string;
}

/** A language model that reads texts. It has no tools, and nothing that it says is an instruction to anybody. */
export interface TextModel {
  /** For the verdict, such as `model-name at api.example.com`. */
  readonly name: string;
  /** The text of its answer. Throws if there is none. */
  ask(question: ModelQuestion): Promise<string>;
}

/** All that a model may answer about a text. */
export const manipulationKinds = [
  'imperative_instruction',
  'instruction_override_attempt',
  'encoded_payload',
  'tool_directive',
  'agent_manipulation',
] as const;

export type ManipulationKind = (typeof manipulationKinds)[number];

/** `none`: an ordinary text. */
export type ModelCategory = ManipulationKind | 'none';
