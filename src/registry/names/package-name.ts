// Names of a registry: `NAMESPACE/NAME`, or a flat `NAME`, which is a namespace with one package of its own name. Only
// ASCII letters, digits and three separators: a name is also part of paths and URLs.
import { sha256Bytes } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { lookAlikeKey } from '../../policy/review/look-alike.js';

export interface PackageName {
  /** As people write it. */
  readonly text: string;
  readonly namespace: string;
  /** Undefined for a flat name. */
  readonly name: string | undefined;
}

/** One release: a name and a version. */
export interface ReleaseName {
  readonly name: PackageName;
  readonly version: string;
}

const segment = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/;
const versionText = /^[0-9A-Za-z](?:[0-9A-Za-z.+-]{0,62}[0-9A-Za-z])?$/;
/** Stands for the package of a flat name. Not a name itself. */
const flat = '_';

export function isNamespace(text: string): boolean {
  return segment.test(text) && !text.includes('..');
}

/** Undefined if the text is not the name of a package. */
export function tryPackageName(text: string): PackageName | undefined {
  const [namespace = '', name, ...more] = text.split('/');
  if (more.length > 0 || !isNamespace(namespace) || (name !== undefined && !isNamespace(name)))
    return undefined;
  return { text, namespace, name };
}

export function parsePackageName(text: string): PackageName {
  const found = tryPackageName(text);
  if (found !== undefined) return found;
  throw new HostError('usage', `${JSON.stringify(text)} is not the name of a package in a registry`, {
    hint: 'write NAMESPACE/NAME or NAME with letters, digits, ".", "-" and "_"',
  });
}

/** `latest` is not a version: it means the newest one. */
export function isReleaseVersion(text: string): boolean {
  return versionText.test(text) && !text.includes('..') && text.toLowerCase() !== 'latest';
}

/** The number of bins is a power of two from 1 to 256. The bin of a namespace is two hexadecimal digits. */
export function binOf(namespace: string, bins: number): string {
  const first = sha256Bytes(namespace).readUInt8(0);
  return (first % bins).toString(16).padStart(2, '0');
}

export function binRole(bin: string): string {
  return `bin-${bin}`;
}

/** Roles of namespaces are numbered: their files never have a name that a publisher chose. */
export function namespaceRole(bin: string, number: number): string {
  return `ns-${bin}-${number}`;
}

export function binPattern(bin: string): string {
  return `${bin}/*/*/*`;
}

export function namespacePattern(namespace: string, bins: number): string {
  return `${binOf(namespace, bins)}/${namespace}/*/*`;
}

/** The path of a release in the metadata. */
export function releasePath({ name, version }: ReleaseName, bins: number): string {
  return `${binOf(name.namespace, bins)}/${name.namespace}/${name.name ?? flat}/${version}.tgz`;
}

/** Undefined if it is not the path of a release. */
export function releaseOf(path: string, bins: number): ReleaseName | undefined {
  const [bin, namespace = '', name = '', file = '', ...more] = path.split('/');
  const version = file.endsWith('.tgz') ? file.slice(0, -'.tgz'.length) : '';
  if (more.length > 0 || !isReleaseVersion(version)) return undefined;
  const found = tryPackageName(name === flat ? namespace : `${namespace}/${name}`);
  return found === undefined || bin !== binOf(namespace, bins) ? undefined : { name: found, version };
}

/** Two names with the same key may not be in one registry. */
export function twinKey(text: string): string {
  return lookAlikeKey(text);
}

/** Where the file of a target is: its hash is part of the name, so that other content has another place. */
export function targetFile(path: string, sha256: string): string {
  const at = path.lastIndexOf('/') + 1;
  return `targets/${path.slice(0, at)}${sha256}.${path.slice(at)}`;
}
