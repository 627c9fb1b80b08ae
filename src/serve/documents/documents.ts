// All JSON documents of the command line. The build publishes their schemas, and `toolwharf schema NAME` prints them.
import type { JsonObject } from '../../model/json.js';
import { auditDocuments } from './audit-documents.js';
import { callDocuments } from './call-documents.js';
import { contributionDocuments } from './contribution-documents.js';
import { installationDocuments } from './installation-documents.js';
import type { JsonDocument } from './json-document.js';
import { machineDocuments } from './machine-documents.js';
import { operatorDocuments } from './operator-documents.js';
import { packageDocuments } from './package-documents.js';
import { registryDocuments } from './registry-documents.js';
import { setDocuments } from './set-documents.js';

export const documents = {
  ...packageDocuments,
  ...installationDocuments,
  ...callDocuments,
  ...operatorDocuments,
  ...setDocuments,
  ...auditDocuments,
  ...contributionDocuments,
  ...registryDocuments,
  ...machineDocuments,
} satisfies Readonly<Record<`${string}@${number}`, JsonDocument>>;

/** Such as `list@1`. The member `schema` of the document has `toolwharf/` before it. */
export type DocumentName = keyof typeof documents;

export const documentNames = Object.keys(documents) as readonly DocumentName[];

/** A complete JSON Schema. For a stream it describes each line. */
export function publishedSchema(name: DocumentName): JsonObject {
  const { description, shape, isStream }: JsonDocument = documents[name];
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:toolwharf:document:${name}`,
    title: `toolwharf/${name}`,
    description: isStream === true ? `${description} One document per line.` : description,
    ...shape.schema,
  };
}
