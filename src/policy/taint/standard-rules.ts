import { statedAmount } from './amounts.js';
import type { CallLeaf } from './call-leaf.js';
import { contentFindings, privateFindings } from './content-rules.js';
import { findingOf } from './finding.js';
import type { JudgedCall, JudgeState } from './judge-state.js';
import { readPlace } from './named-place.js';
import { inputKey, isEndorsed, isOwn, isOwnForm, unknownPlace, valueEndorsement } from './place-rules.js';
import { isProtectedPath } from './protected-path.js';
import type { TaintFinding } from './taint-verdict.js';
import { askFindings, isOwnTalk, readFindings } from './undeclared-rules.js';
import { seen } from './value-index.js';

/** The rules of mode standard, for a consequential call in a session with text of others. Empty: it may go on. */
export function standardFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  const { labels, leaves } = call;
  const { effects } = labels;
  if (labels.asks !== undefined) return askFindings(state, call);
  if (labels.hintsRead === true) return readFindings(state, call);
  if (labels.undeclaredEffect === true && isOwnTalk(state, call)) return [];
  const isSend = effects.has('send');
  const places = leaves
    .filter((it) => it.role === 'destination')
    .map((leaf) => ({ leaf, to: readPlace(leaf.text) }));
  const paths = places.filter((it) => it.to.kind === 'path' && !isSend);
  const parties = places.filter((it) => !paths.includes(it) && !isOwn(state, it.to));
  if (effects.has('destructive')) return destructiveFindings(state, call);
  // Writes to the user's own files, without network, are not consequential. A path need not look like one there.
  if (!labels.network && !isSend)
    return leaves
      .filter((it) => it.role === 'destination' || it.role === 'identifier')
      .flatMap((leaf) => pathFindings(state, call, leaf));
  const findings = paths.flatMap(({ leaf }) => pathFindings(state, call, leaf));
  for (const { leaf, to } of parties)
    if (!isEndorsed(state, call, leaf, to) && !isOwnForm(state, call, to))
      findings.push(unknownPlace(state, call, leaf, to));
  if (isSend && parties.length > 0) {
    const receivers = parties.map((it) => it.leaf);
    if (effects.has('write')) {
      findings.push(...identifierFindings(state, call), ...amountFindings(state, call, receivers));
      findings.push(...contentFindings(state, call));
    }
    findings.push(...privateFindings(state, call, receivers));
    return findings;
  }
  if (parties.length > 0) return findings;
  if (labels.draft) return findings;
  const roles = [...labels.inputs.values()];
  if (isSend && (roles.includes('handle') || leaves.some((it) => it.role === 'handle')))
    return [...findings, ...handleFindings(state, call)];
  if (isSend && !effects.has('write') && roles.length > 0 && roles.every((it) => it === 'query'))
    return [...findings, ...lookupFindings(state, call)];
  const hasDestination = roles.includes('destination');
  if (isSend && !hasDestination) return [...findings, ...actFindings(state, call)];
  return [...findings, ...ownFindings(state, call, paths.length > 0)];
}

/** A question to a service: what it contains of private results leaves. */
function lookupFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  const leaves = call.leaves.map((it): CallLeaf => ({ ...it, role: 'content' }));
  return privateFindings(state, { ...call, leaves }, []);
}

/** An act on something that the package gave out, such as a click in a page: judged by what it says and to whom. */
function handleFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  return [
    ...identifierFindings(state, call),
    ...contentFindings(state, call),
    ...privateFindings(state, call, []),
  ];
}

function pathFindings(state: JudgeState, call: JudgedCall, leaf: CallLeaf): TaintFinding[] {
  if (!isProtectedPath(leaf.text, call.labels.protectedPaths)) return [];
  if (state.endorsements.hasIdentifier(leaf.text, inputKey(call, leaf))) return [];
  return [findingOf('path', leaf, state.index.find(leaf.text), [valueEndorsement(call, leaf)])];
}

/** Objects that the call acts on. */
function identifierFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  return call.leaves
    .filter((it) => it.role === 'identifier' && !isKind(it, call))
    .filter((it) => !state.endorsements.hasIdentifier(it.text, inputKey(call, it)))
    .filter((it) => !state.endorsements.isMadeFile(it.text))
    .map((leaf) =>
      findingOf('identifier', leaf, state.index.find(leaf.text), [valueEndorsement(call, leaf)]),
    );
}

/** A plain word beside another member that names an object, such as an id or a path, says what kind of object that is. */
function isKind({ isMember, text, pointer }: CallLeaf, { leaves }: JudgedCall): boolean {
  if (!isMember || !kindWord.test(text)) return false;
  return leaves.some(
    (it) => it.isMember && parentOf(it.pointer) === parentOf(pointer) && objectName.test(it.text),
  );
}

const kindWord = /^[a-z]{1,12}$/;
/** One word with a digit or a sign. */
const objectName = /^(?=.*[\d/._-])\S+$/;

function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'));
}

/**
 * Amounts that nobody vouched for, if they were seen. Of a payment to somebody whom the person's words do not name, all of them:
 * a text can describe an amount in countless ways. A long number can be an account, which is nobody's amount.
 */
function amountFindings(state: JudgeState, call: JudgedCall, parties: readonly CallLeaf[]): TaintFinding[] {
  const isPayment = call.level === 'pay' && !parties.every((it) => state.endorsements.isNamedPlace(it.text));
  return call.leaves.flatMap((leaf) => {
    const decimal = leaf.role === 'control' ? statedAmount(leaf.text) : undefined;
    if (decimal === undefined) return [];
    if (state.endorsements.hasControl(leaf.text, inputKey(call, leaf))) return [];
    const match = state.index.findAmount(decimal);
    if (match === undefined && !isPayment && !isLongNumber(leaf.text)) return [];
    return [findingOf('amount', leaf, match, [valueEndorsement(call, leaf)])];
  });
}

function isLongNumber(text: string): boolean {
  return text.replace(/\D/g, '').length >= 7;
}

/** Nothing that is destroyed may be chosen by a text of others. */
function destructiveFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  const leaves = call.leaves.filter((it) => it.role !== 'content' && it.role !== 'query');
  if (leaves.length === 0) return [findingOf('destructive', { pointer: '', text: '' }, undefined, [])];
  return leaves
    .filter(
      (it) =>
        !state.endorsements.hasIdentifier(it.text, inputKey(call, it)) &&
        !(it.role === 'control' && state.endorsements.hasControl(it.text, inputKey(call, it))),
    )
    .map((leaf) =>
      findingOf('destructive', leaf, state.index.find(leaf.text), [valueEndorsement(call, leaf)]),
    );
}

/** An act that reaches others without naming them, such as a purchase or a comment: its objects must be endorsed. */
function actFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  // Without any argument, nobody can choose what it does.
  if (call.labels.undeclaredRoles === true && call.leaves.length === 0) return [];
  const objects = call.leaves.filter((it) => it.role === 'identifier' && !isKind(it, call));
  if (objects.length === 0) {
    const controls = controlFindings(state, call);
    const hasControl = call.leaves.some((it) => it.role === 'control');
    return hasControl ? controls : [findingOf('identifier', { pointer: '', text: '' }, undefined, [])];
  }
  // The number of an issue says nothing: its repository does.
  const sinks = objects.filter((it) => !/^\d{1,6}$/.test(it.text));
  return [
    ...identifierFindings(state, call),
    ...taintedControls(state, call),
    ...contentFindings(state, call),
    ...privateFindings(state, call, [], { sinks }),
  ];
}

/** A change that only concerns the user. */
function ownFindings(state: JudgeState, call: JudgedCall, hasPath: boolean): TaintFinding[] {
  if (confirmsShape(call)) return codeFindings(state, call);
  if (hasPath || call.leaves.some((it) => it.role === 'identifier')) return taintedControls(state, call);
  if (call.leaves.some((it) => it.role === 'control')) return controlFindings(state, call);
  return contentFindings(state, call);
}

function controlFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  const controls = call.leaves.filter((it) => it.role === 'control');
  const isKnown = (it: CallLeaf) => state.endorsements.hasControl(it.text, inputKey(call, it));
  const known = controls.filter(isKnown);
  return controls
    .filter((it) => !known.includes(it) && !known.some((other) => isSameDay(other.text, it.text)))
    .map((leaf) => findingOf('control', leaf, state.index.find(leaf.text), [valueEndorsement(call, leaf)]));
}

function taintedControls(state: JudgeState, call: JudgedCall): TaintFinding[] {
  return call.leaves.flatMap((leaf) => {
    if (leaf.role !== 'control' || state.endorsements.hasControl(leaf.text, inputKey(call, leaf))) return [];
    const match = state.index.find(leaf.text, seen.thirdParty);
    return match === undefined ? [] : [findingOf('control', leaf, match, [valueEndorsement(call, leaf)])];
  });
}

function isSameDay(a: string, b: string): boolean {
  const day = /^\d{4}-\d\d-\d\d/.exec(a)?.[0];
  return day !== undefined && b.startsWith(day);
}

/** Whether a call only passes on one code. */
export function confirmsShape({ labels, leaves }: JudgedCall): boolean {
  if (labels.confirms !== undefined) return labels.confirms;
  const [only] = leaves;
  return (
    labels.inputs.size === 1 &&
    leaves.length === 1 &&
    only?.role === 'control' &&
    !labels.effects.has('send') &&
    /^[A-Za-z0-9-]{4,12}$/.test(only.text) &&
    /\d/.test(only.text)
  );
}

/** A code is free for an act that was decided, of the same package, whose result asked for it, if it came later. */
function codeFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  const pending = state.pendingCodes.filter((it) => it.package === call.package);
  return call.leaves
    .filter((it) => it.role === 'control')
    .flatMap((leaf) => {
      if (state.endorsements.hasControl(leaf.text, inputKey(call, leaf))) return [];
      const match = state.index.findToken(leaf.text);
      const came = match?.source?.call;
      if (came !== undefined && pending.some((it) => came > it.call)) return [];
      return [findingOf('code', leaf, match, [valueEndorsement(call, leaf)])];
    });
}
