// What the operations on sign-ins take and return.
import { anyText, arrayOf, boolean, object, optional, secretText, text, timestamp } from './shape.js';

const scopes = arrayOf(text(), 'Names of what the sign-in allows.');
const places = (description: string) => optional(arrayOf(text(), description));
const server = {
  package: text(),
  program: optional(text('Name of its server. Default: the one that asks for a sign-in.')),
};

export const signInCheck = object({
  ...server,
  issuer: optional(text('The authorization server that a person agreed to.')),
  scopes: optional(
    arrayOf(text(), 'Besides those of an earlier sign-in. Default: those that the server asks for.'),
  ),
});

export const signInOffer = object({
  package: text(),
  program: text(),
  url: text('URL of the server.'),
  issuers: arrayOf(text(), 'Its authorization servers.'),
  scopes,
  places: places('Where the host would send requests, as host:port. Only with `issuer`.'),
  browserPlace: optional(text('Where the browser would be sent, as host:port. Only with `issuer`.')),
});

export const signInBegin = object({
  ...server,
  issuer: text('The authorization server that a person agreed to.'),
  places: places('Other places of it that a person agreed to, as host:port.'),
  browserPlace: optional(
    text('Where a person agreed that the browser goes, as host:port. Default: the place of the issuer.'),
  ),
  scopes: optional(
    arrayOf(text(), 'Exactly those that a person agreed to. Default: what `check` would return now.'),
  ),
  redirectUri: text('http://127.0.0.1:PORT/callback'),
});

export const signInStart = object({
  id: text(),
  url: text('The address to open in a browser.'),
  scopes,
  expiresAt: timestamp('Until when it can be finished: milliseconds since 1970.'),
});

export const signInFinish = object({
  id: text('`id` of the beginning.'),
  callback: secretText('The whole address that the browser was sent to.'),
});

export const signInMembers = {
  package: text(),
  program: text('Name of its server.'),
  url: text('URL of the server.'),
  issuer: text(),
  scopes,
  signedInAt: timestamp(),
  expiresAt: optional(timestamp('When the access token expires: milliseconds since 1970.')),
  isRenewed: boolean('The host gets new tokens without a person.'),
};
export const signInEntry = object(signInMembers);

export const signOutRequest = object({
  package: text(),
  program: optional(text('Name of its server. Default: all.')),
});

export const signOutMembers = {
  package: text(),
  programs: arrayOf(text(), 'The servers that somebody was signed in to.'),
  left: arrayOf(anyText(), 'What is left to do by hand.'),
};
export const signOutResult = object(signOutMembers);
