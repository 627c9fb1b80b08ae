import type { JsonObject } from '../src/model/json.js';

export interface PublishedSchema {
  readonly name: string;
  /** The file as it is. */
  readonly text: string;
  readonly schema: JsonObject;
}

export declare function readSchemas(root: string): readonly PublishedSchema[];
