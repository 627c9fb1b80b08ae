// One TLS server on loopback that is a git host, an npm registry, a Python index and a place for files, for tests that
// install packages from there with the real programs.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { PackageIndexes } from '../../src/host/session-policy.js';
import { type Files, tarball, wheel } from './archive.js';
import { git, gitHandler } from './git-server.js';
import { loopbackTls } from './loopback-tls.js';
import { temporaryFolder } from './toolwharf.js';

export interface PackageOrigin {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** PEM of the authority that signed its certificate. */
  readonly ca: string;
  readonly indexes: PackageIndexes;
  /** The grant that lets the host itself fetch from here. */
  readonly grant: string;
  /** Paths that were requested. */
  readonly requests: string[];
  /** Publishes a wheel with these files and one module with the name of the package. */
  python(name: string, version: string, module: string, files?: Files): void;
  /** Marks a version of a Python package as withdrawn ("yanked"). */
  withdraw(name: string, version: string, reason: string): void;
  npm(
    manifest: { readonly name: string; readonly version: string; readonly bin?: object },
    files: Files,
  ): void;
  /** Sets a tag of an npm package. `latest` is the version that was published last. */
  tag(name: string, tag: string, version: string): void;
  unpublish(name: string, version: string): void;
  /** The folder with the repositories that are served. */
  readonly repositories: string;
  /** Returns the hash of the file. */
  file(path: string, bytes: Buffer | string): string;
  /** Replaces all files of a repository by a new commit on `main`, and moves the tag to it. Returns the commit. */
  commit(repository: string, files: Files, tag?: string): string;
  close(): Promise<void>;
}

export async function packageOrigin(): Promise<PackageOrigin> {
  const folder = temporaryFolder();
  const { ca, key, cert } = loopbackTls();
  const files = new Map<string, Buffer>();
  const wheels = new Map<string, { version: string; file: string; sha256: string; withdrawn?: string }[]>();
  const npmVersions = new Map<string, Record<string, unknown>>();
  const npmTags = new Map<string, Record<string, string>>();
  const requests: string[] = [];
  const served = join(folder.path, 'served');
  mkdirSync(served);
  const answerGit = gitHandler(served);
  const server = createServer({ key, cert }, (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', url).pathname);
    requests.push(path);
    if (path.startsWith('/git/')) {
      request.url = (request.url ?? '').slice('/git'.length);
      answerGit(request, response);
      return;
    }
    const [, python] = /^\/simple\/([^/]+)\/$/.exec(path) ?? [];
    const [, npm] = /^\/npm\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    const index = wheels.get(python ?? '');
    const versions = npmVersions.get(npm ?? '');
    if (index !== undefined) {
      response.setHeader('content-type', 'text/html');
      const links = index.map(({ file, sha256, withdrawn }) => {
        const mark = withdrawn === undefined ? '' : ` data-yanked="${withdrawn}"`;
        return `<a href="/files/${file}#sha256=${sha256}"${mark}>${file}</a>`;
      });
      response.end(`<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`);
    } else if (versions !== undefined) {
      const latest = Object.keys(versions).at(-1);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ name: npm, 'dist-tags': { latest, ...npmTags.get(npm ?? '') }, versions }),
      );
    } else {
      const body = files.get(path);
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/octet-stream' });
      response.end(body);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const put = (path: string, bytes: Buffer | string): string => {
    files.set(path, Buffer.from(bytes));
    return createHash('sha256').update(bytes).digest('hex');
  };
  return {
    ...{ url, ca, requests, file: put, repositories: served },
    indexes: { pythonIndex: `${url}/simple/`, npmRegistry: `${url}/npm/` },
    grant: `toolwharf=net:127.0.0.1:${port}`,
    python(name, version, module, more = {}) {
      const made = wheel(name.replaceAll('-', '_'), version, module, [], more);
      const sha256 = put(`/files/${made.file}`, made.bytes);
      wheels.set(name, [...(wheels.get(name) ?? []), { version, file: made.file, sha256 }]);
    },
    withdraw(name, version, reason) {
      const marked = (wheels.get(name) ?? []).map((it) =>
        it.version === version ? { ...it, withdrawn: reason } : it,
      );
      wheels.set(name, marked);
    },
    npm(manifest, given) {
      const { name, version } = manifest;
      const listed = Object.entries(given).map(([path, text]) => [`package/${path}`, text]);
      const archive = tarball({
        'package/package.json': JSON.stringify(manifest),
        ...Object.fromEntries(listed),
      });
      const path = `/npm/${name}/-/${name}-${version}.tgz`;
      put(path, archive);
      const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
      const dist = { integrity, tarball: `${url}${path}` };
      npmVersions.set(name, { ...npmVersions.get(name), [version]: { ...manifest, dist } });
    },
    tag(name, tag, version) {
      npmTags.set(name, { ...npmTags.get(name), [tag]: version });
    },
    unpublish(name, version) {
      const { [version]: _, ...others } = npmVersions.get(name) ?? {};
      npmVersions.set(name, others);
    },
    commit(repository, given, tag) {
      const work = join(folder.path, repository);
      const isNew = !existsSync(work);
      if (isNew) {
        mkdirSync(work);
        git(work, 'init', '--quiet');
        git(served, 'init', '--quiet', '--bare', `${repository}.git`);
      } else git(work, 'rm', '-r', '--quiet', '.');
      for (const [path, text] of Object.entries(given)) {
        mkdirSync(dirname(join(work, path)), { recursive: true });
        writeFileSync(join(work, path), text);
      }
      git(work, 'add', '-A');
      git(work, 'commit', '--quiet', '-m', 'Change');
      if (tag !== undefined) git(work, 'tag', '--force', tag);
      git(work, 'push', '--quiet', '--force', join(served, `${repository}.git`), 'main', '--tags');
      return git(work, 'rev-parse', 'HEAD');
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}
