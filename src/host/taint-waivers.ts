import { isObject, type JsonObject } from '../model/json.js';
import { isWeakMode, parseModeSetting } from '../model/taint-setting.js';
import type { Waiver } from '../model/waiver.js';
import { makeWaiver } from './make-waiver.js';
import type { TaintPolicy } from './session-policy.js';

/** Tools that the text of a waiver names. */
const maxNamed = 5;

/** What asks fewer questions: a weak mode, an own value, and an input that takes text of others. */
export function taintWaivers(taint: TaintPolicy = {}): Waiver[] {
  const {
    mode,
    packages = [],
    clients = [],
    own = [],
    inputs = [],
    userText = [],
    hiddenInputs = [],
    labels,
  } = taint;
  return [
    ...(labels === undefined ? [] : [labelsWaiver(labels)]),
    ...userText.map((it) => taintWaiver('userText', it)),
    ...hiddenInputs.map((it) => taintWaiver('hiddenInputs', it)),
    ...(mode !== undefined && isWeakMode(mode) ? [modeWaiver(mode)] : []),
    ...packages.filter(isWeakSetting).map((it) => taintWaiver('packages', it)),
    ...clients.filter(isWeakSetting).map((it) => taintWaiver('clients', it)),
    ...own.map((it) => taintWaiver('own', it)),
    ...inputs.map((it) => taintWaiver('inputs', it)),
  ];
}

export function taintInForce(taint: TaintPolicy, holds: (waiver: Waiver) => boolean): TaintPolicy {
  const { mode, packages, clients, own, inputs, userText, hiddenInputs, labels, ...rest } = taint;
  const kept = (key: TaintList, list: readonly string[]) =>
    list.filter((it) => !isTaintWaiver(key, it) || holds(taintWaiver(key, it)));
  return {
    ...rest,
    ...(mode === undefined || (isWeakMode(mode) && !holds(modeWaiver(mode))) ? {} : { mode }),
    ...(packages === undefined ? {} : { packages: kept('packages', packages) }),
    ...(clients === undefined ? {} : { clients: kept('clients', clients) }),
    ...(own === undefined ? {} : { own: kept('own', own) }),
    ...(inputs === undefined ? {} : { inputs: kept('inputs', inputs) }),
    ...(hiddenInputs === undefined ? {} : { hiddenInputs: kept('hiddenInputs', hiddenInputs) }),
    ...(userText === undefined ? {} : { userText: kept('userText', userText) }),
    ...(labels === undefined || !holds(labelsWaiver(labels)) ? {} : { labels }),
  };
}

type TaintList = 'packages' | 'clients' | 'own' | 'inputs' | 'userText' | 'hiddenInputs';

function isTaintWaiver(key: TaintList, text: string): boolean {
  return (key !== 'packages' && key !== 'clients') || isWeakSetting(text);
}

/** A text that cannot be read is not surely stricter. */
function isWeakSetting(text: string): boolean {
  const setting = parseModeSetting(text);
  return setting === undefined || isWeakMode(setting.mode);
}

/** Bound to all of them: a changed file is another waiver. */
function labelsWaiver(labels: JsonObject): Waiver {
  const tools = isObject(labels.tools) ? Object.keys(labels.tools) : [];
  const named = tools.slice(0, maxNamed).join(', ');
  return makeWaiver('taint', { labels }, `taint.labels says what ${tools.length} tools do: ${named}`);
}

function modeWaiver(mode: string): Waiver {
  return makeWaiver(
    'taint',
    { mode },
    `taint.mode is ${mode}: nothing says which calls act on text of others`,
  );
}

function taintWaiver(key: TaintList, text: string): Waiver {
  return makeWaiver('taint', { [key]: text }, `taint.${key} contains ${JSON.stringify(text)}`);
}
