import type { ServerSignIns } from '../host.js';
import { members, membersBy, type OperationTree, operation } from './operation.js';
import { arrayOf } from './shape.js';
import {
  signInBegin,
  signInCheck,
  signInEntry,
  signInFinish,
  signInOffer,
  signInStart,
  signOutRequest,
  signOutResult,
} from './sign-in-shapes.js';

/** Sign-ins to MCP servers of packages. */
export const signInOperations = {
  list: operation(
    { role: 'operator', summary: 'List sign-ins to MCP servers, without tokens.' },
    [],
    arrayOf(signInEntry),
  ),
  check: operation(
    { role: 'operator', summary: 'Ask the server of a package where to sign in, and for what.' },
    [members(signInCheck)],
    signInOffer,
  ),
  begin: operation(
    { role: 'operator', pin: 'if-set', summary: 'Begin a sign-in to the server of a package.' },
    [membersBy(signInBegin)],
    signInStart,
  ),
  finish: operation(
    { role: 'operator', summary: 'Finish a sign-in that was begun. It works once.' },
    [members(signInFinish)],
    signInEntry,
  ),
  signOut: operation(
    { role: 'operator', pin: 'if-set', summary: 'Revoke and erase the tokens of a sign-in.' },
    [membersBy(signOutRequest)],
    signOutResult,
  ),
} as const satisfies OperationTree<ServerSignIns>;
