// What publishers send: archives, requests to screen them, and signed files of their namespaces.
import type { IncomingMessage } from 'node:http';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { parsePackageName } from '../../registry/names/package-name.js';
import type { PublicationIntake } from '../../registry/server/publication-intake.js';
import type { RegistryToken } from '../../registry/server/publisher-tokens.js';
import type { UploadFolder } from '../../registry/server/upload-folder.js';
import { HttpError } from '../http/http-error.js';
import type { JsonReply } from './registry-reply.js';

const uploadsPath = '/api/v1/uploads/';
const maxStatements = 4 * 1024 * 1024;

export interface PublishApiOptions {
  readonly intake: PublicationIntake;
  readonly uploads: UploadFolder;
  /** Reads a JSON body within limits. */
  readonly readBody: (request: IncomingMessage) => Promise<Json>;
}

/** Undefined: not a path of publishers. */
export async function publishReply(
  path: string,
  request: IncomingMessage,
  token: RegistryToken,
  options: PublishApiOptions,
): Promise<JsonReply | undefined> {
  const { intake, uploads, readBody } = options;
  if (path.startsWith(uploadsPath) && request.method === 'PUT') {
    if (token.role !== 'publish') throw readOnly();
    const { 'content-length': length, 'content-encoding': encoding } = request.headers;
    if (length === undefined || encoding !== undefined)
      throw new HttpError(411, 'usage', 'an archive needs a content-length, and no content-encoding');
    await uploads.receive(
      { sha256: path.slice(uploadsPath.length), length: Number(length), sender: token.id },
      request,
    );
    return { status: 201, body: { status: 'received' } };
  }
  if (request.method !== 'POST') return undefined;
  if (path === '/api/v1/screen') {
    const body = objectOf(await readBody(request));
    const { name, version, sha256 } = body;
    const texts = {
      name: textOf(name, 'name'),
      version: textOf(version, 'version'),
      sha256: textOf(sha256, 'sha256'),
    };
    const result = await intake.screen({ ...texts, name: parsePackageName(texts.name) }, token);
    return {
      status: result.status === 'passed' ? 200 : 202,
      body: result as unknown as JsonObject,
    };
  }
  if (path === '/api/v1/publish') {
    const body = objectOf(await readBody(request));
    const published = await intake.publish(
      {
        namespace: textOf(body.namespace, 'namespace'),
        metadata: Buffer.from(textOf(body.metadata, 'metadata'), 'utf8'),
        statements: statementsOf(body.statements),
      },
      token,
    );
    return { status: 200, body: { status: 'published', releases: published as unknown as Json[] } };
  }
  return undefined;
}

function statementsOf(value: Json | undefined): ReadonlyMap<string, string> {
  if (value === undefined) return new Map();
  if (!isObject(value)) throw new HttpError(400, 'usage', 'statements must be an object with texts');
  return new Map(
    Object.entries(value).map(([hash, text]) => {
      const statement = textOf(text, 'statements');
      if (statement.length > maxStatements) throw new HttpError(413, 'usage', 'the statements are too long');
      return [hash, statement];
    }),
  );
}

function objectOf(value: Json): JsonObject {
  if (isObject(value)) return value;
  throw new HttpError(400, 'usage', 'the body must be a JSON object');
}

function textOf(value: Json | undefined, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new HttpError(400, 'usage', `${name} is missing or not a text`);
}

function readOnly(): HttpError {
  return new HttpError(403, 'denied', 'this token may only read', {
    hint: 'ask the operator of the registry for a token to publish',
  });
}
