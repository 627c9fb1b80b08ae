import { isObject, type Json, type JsonSchema } from '../../model/json.js';
import type { Annotations, Effect } from '../../model/tool.js';

/**
 * What an input decides. `destination`: where something goes, or who gets access. `identifier`: which existing object.
 * `control`: amounts, dates, flags, credentials. `content`: free text or data, which may be untrusted. `query`: what to
 * look for. `handle`: something that the package itself gave out to be sent back, such as a tab, a cursor or an element of a page.
 */
export type InputRole = 'destination' | 'identifier' | 'control' | 'content' | 'query' | 'handle';

/** Effects of a call beyond those of the model: `send` reaches other people or hosts. */
export type TaintEffect = 'read' | 'write' | 'destructive' | 'send';

/** How severe an act is. An approval endorses a value up to its level. Ordered. */
export const taintLevels = ['visit', 'message', 'pay'] as const;
/** `visit`: opens a page. `message`: sends a text or a form. `pay`: pays, grants, signs in or changes an identity. */
export type TaintLevel = (typeof taintLevels)[number];

/** `third-party`: may contain text of others. `own`: values of the user's own account. `status`: an acknowledgment. */
export type ResultKind = 'third-party' | 'own' | 'status';

/** What the judge knows about a tool. Names of tools and inputs have no meaning of their own. */
export interface ToolLabels {
  readonly effects: ReadonlySet<TaintEffect>;
  /** False: it uses neither network nor credentials. */
  readonly network: boolean;
  /** By input. An input that is not listed is a destination. */
  readonly inputs: ReadonlyMap<string, InputRole>;
  /** Inputs whose values the schema lists: its members are endorsed with the schema. */
  readonly enums: ReadonlySet<string>;
  readonly result: ResultKind;
  /** An operator vouches that results contain no text of others. */
  readonly trustedResult: boolean;
  /** No credential, network or file: a result has the label of the session's inputs. */
  readonly pure: boolean;
  /** Absent: derived from effects and inputs. */
  readonly level?: TaintLevel;
  /** It prepares something that another call carries out, such as a cart. */
  readonly draft: boolean;
  /** It carries out an act that waits for a code. Absent: derived. */
  readonly confirms?: boolean;
  /** Path names that need an endorsement, beside those that begin with a dot. */
  readonly protectedPaths: readonly string[];
  /**
   * Names of members that the schema of the inputs declares, at any depth. Another key is a value of the caller, which
   * can name an account like any text. Absent: all keys below an input are.
   */
  readonly keys?: ReadonlySet<string>;
  /** Nobody said what its inputs decide. A longer text in one of them counts as content. Default: false. */
  readonly undeclaredRoles?: boolean;
  /**
   * Nobody declared an effect, and a hint of the server says that the tool only reads. It is still judged, but only for
   * what would leave with it. Default: false.
   */
  readonly hintsRead?: boolean;
  /** Nobody declared an effect, so most calls may be reads. Default: false. */
  readonly undeclaredEffect?: boolean;
  /**
   * It declares that it only reads, and uses the network: what it is asked for leaves. `fixed`: to hosts that its package
   * names. `any`: also to a host that the caller names. Absent: nothing leaves, or the effects say it.
   */
  readonly asks?: 'fixed' | 'any';
}

/** What a package says about a tool. */
export interface DeclaredTool {
  readonly input: JsonSchema;
  readonly effect: Effect;
  readonly effectDeclared: boolean;
  readonly annotations: Annotations;
  /** Inputs that may contain untrusted data. */
  readonly untrustedInputs: readonly string[];
  /** Whether calls can use the network or a credential. */
  readonly network: boolean;
  /** Whether a caller can choose the host that calls reach. Default: false. */
  readonly anyHost?: boolean;
  /** Whether calls can read files of the user. */
  readonly files: boolean;
}

/** The strictest labels that the declarations allow. Hints of a server can only add effects. */
export function labelsOf(tool: DeclaredTool): ToolLabels {
  const { effect, effectDeclared, annotations, network, untrustedInputs } = tool;
  const effects = new Set<TaintEffect>();
  if (effect !== 'none' || tool.files) effects.add('read');
  if (effect === 'write' || effect === 'destructive' || !effectDeclared) effects.add('write');
  if (effect === 'destructive' || annotations.destructiveHint === true)
    effects.add('write').add('destructive');
  const isOpen = annotations.openWorldHint === true && annotations.readOnlyHint !== true;
  if (network && (effects.has('write') || isOpen)) effects.add('send');
  const inputs = new Map<string, InputRole>();
  const enums = new Set<string>();
  const properties = isObject(tool.input) ? tool.input.properties : undefined;
  const isConsequential = effects.has('write') || effects.has('send');
  if (isObject(properties))
    for (const [name, schema] of Object.entries(properties)) {
      inputs.set(name, roleOf(name, schema, { isConsequential, untrustedInputs }));
      if (isObject(schema) && Array.isArray(schema.enum)) enums.add(name);
    }
  const pure = !network && !tool.files && effectDeclared && effect === 'none' && effects.size === 0;
  return {
    effects,
    network,
    inputs,
    enums,
    result: 'third-party',
    trustedResult: false,
    pure,
    draft: false,
    protectedPaths: [],
    keys: declaredKeys(tool.input),
    undeclaredRoles: true,
    ...(network && !isConsequential && effectDeclared
      ? { asks: tool.anyHost === true ? 'any' : 'fixed' }
      : {}),
    ...(hintsRead(tool) ? { hintsRead: true } : {}),
    ...(effectDeclared ? {} : { undeclaredEffect: true }),
  };
}

const knownKeys = new WeakMap<object, ReadonlySet<string>>();

/** The names of all members in a schema. Its package wrote them, and they were accepted with it. */
export function declaredKeys(schema: Json): ReadonlySet<string> {
  if (!isObject(schema)) return new Set();
  let keys = knownKeys.get(schema);
  if (keys === undefined) {
    keys = new Set(memberNames(schema));
    knownKeys.set(schema, keys);
  }
  return keys;
}

function memberNames(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(memberNames);
  if (!isObject(schema)) return [];
  const own = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  return [...own, ...Object.values(schema).flatMap(memberNames)];
}

function hintsRead({ effect, effectDeclared, annotations, network }: DeclaredTool): boolean {
  const { readOnlyHint, destructiveHint } = annotations;
  const isRead = readOnlyHint === true && destructiveHint !== true && effect !== 'destructive';
  return !effectDeclared && network && isRead;
}

function roleOf(
  name: string,
  schema: Json,
  { isConsequential, untrustedInputs }: { isConsequential: boolean; untrustedInputs: readonly string[] },
): InputRole {
  if (untrustedInputs.includes(name)) return 'content';
  if (!isConsequential) return 'query';
  return isObject(schema) && isScalarControl(schema) ? 'control' : 'destination';
}

/** Numbers, flags and members of a list can name no place. */
function isScalarControl(schema: { readonly [key: string]: Json }): boolean {
  const { type } = schema;
  return type === 'number' || type === 'integer' || type === 'boolean' || Array.isArray(schema.enum);
}

/** Whether a call changes something or reaches others. */
export function isConsequential({ effects }: ToolLabels): boolean {
  return effects.has('write') || effects.has('send') || effects.has('destructive');
}
