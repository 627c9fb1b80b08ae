// A registry server with its registry, on loopback.
import { join } from 'node:path';
import { builtInFormats } from '../../src/formats/built-in-formats.js';
import { guardedClient } from '../../src/net/http-client.js';
import type { TextModel } from '../../src/registry/contribute/model-check/text-model.js';
import { parsePackageName } from '../../src/registry/names/package-name.js';
import type { RegistryConnectionOptions } from '../../src/registry/publisher/registry-connection.js';
import {
  publishRemotely,
  type RemotePublicationResult,
} from '../../src/registry/publisher/remote-publication.js';
import { writeBundleArchive } from '../../src/registry/repository/bundle-archive.js';
import { fileEntryOfBytes } from '../../src/registry/repository/file-entry.js';
import { signNamespace } from '../../src/registry/repository/namespace-approval.js';
import { withReleases } from '../../src/registry/repository/release-publication.js';
import {
  openRegistryServerParts,
  type RegistryServerParts,
  type RegistryServerPartsOptions,
} from '../../src/registry/server/server-parts.js';
import {
  openRegistryServer,
  type RegistryServer,
  type RegistryServerOptions,
} from '../../src/serve/registry/registry-server.js';
import { RegistryWorkbench } from './registry-workbench.js';

/** A model that finds a text manipulating if it speaks of instructions or rules. */
export const standInModel: TextModel = {
  name: 'stand-in',
  ask: async ({ user }) => {
    const blocks = [...user.matchAll(/^TEXT (\S+) .*\n(".*")\nEND \1$/gm)];
    const answers = blocks.map(([, id, text]) => ({
      id,
      category: /instructions|rule/.test(String(text)) ? 'instruction_override_attempt' : 'none',
    }));
    return JSON.stringify({ answers });
  },
};

export class RegistryServerBench {
  readonly registry = new RegistryWorkbench();
  readonly bugs: unknown[] = [];
  services!: RegistryServerParts;
  server!: RegistryServer;

  get data(): string {
    return join(this.registry.base, 'data');
  }

  async open(options: Partial<RegistryServerPartsOptions & RegistryServerOptions> = {}): Promise<this> {
    await this.registry.create();
    this.services = await openRegistryServerParts({
      folder: this.registry.folder,
      data: this.data,
      formats: builtInFormats,
      online: this.registry.keys.online,
      model: standInModel,
      now: () => this.registry.clock.now,
      durable: false,
      ...options,
    });
    this.server = await openRegistryServer({
      folder: this.registry.folder,
      port: 0,
      isPrivate: false,
      onBug: (error) => this.bugs.push(error),
      ...this.services,
      ...options,
    });
    return this;
  }

  token(...namespaces: string[]): string {
    return this.services.tokens.create({
      name: `publisher of ${namespaces.join()}`,
      role: 'publish',
      namespaces,
      lifetimeMs: 60_000,
    }).token;
  }

  connection(token: string): RegistryConnectionOptions {
    return {
      url: this.server.url,
      http: guardedClient(),
      granted: [{ host: '127.0.0.1', port: this.server.port }],
      token,
      signal: new AbortController().signal,
    };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.server.url}${path}`, { headers });
  }

  /** As a publisher: with its own key, over HTTP. */
  async publish(
    name: string,
    version: string,
    files: Readonly<Record<string, string>>,
    token: string,
  ): Promise<RemotePublicationResult> {
    const parsed = parsePackageName(name);
    const archive = await writeBundleArchive(
      Object.entries(files).map(([path, text]) => ({ path, executable: false, bytes: Buffer.from(text) })),
    );
    return publishRemotely(
      { name: parsed, version, archive, statements: [] },
      {
        connection: this.connection(token),
        view: await this.registry.view(),
        signers: this.registry.publishers.get(parsed.namespace) ?? [],
        now: this.registry.clock.now,
      },
    );
  }

  /** The next file of a namespace with one more release, as its publisher signs it. */
  async signedNamespace(namespace: string, version: string, archive: Buffer): Promise<string> {
    const view = await this.registry.view();
    const found = await view.namespace(namespace);
    if (found === undefined) throw new Error(`nobody was approved for ${namespace}`);
    const plan = {
      role: found.role,
      bins: view.bins,
      days: view.root.document.days,
      now: this.registry.clock.now,
    };
    const entry = {
      ...{ name: parsePackageName(namespace), version },
      bundle: fileEntryOfBytes(archive),
      statements: fileEntryOfBytes(Buffer.from('{}\n')),
    };
    const document = withReleases(found.file?.document, [entry], plan);
    return signNamespace(document, this.registry.publishers.get(namespace) ?? []).toString('utf8');
  }

  async close(): Promise<void> {
    await this.server?.close();
    await this.services?.close();
    this.registry.close();
  }
}
