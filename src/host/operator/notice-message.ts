import type { Json, JsonObject } from '../../model/json.js';
import type { NotifyTarget } from '../../model/notify-target.js';
import { codePointName, replaceHidden } from '../../model/unicode.js';
import type { Notice } from './notice.js';

/** Characters of one line, and of the arguments where they are sent. */
const maxLine = 300;
const maxArguments = 1500;

/** Where a message leads. */
export interface MessagePlace {
  /** The page of a held call; null if nobody serves it. */
  readonly url: string | null;
  /** Of ntfy. */
  readonly topic: string;
}

/** The body for a target. It has no argument values unless the operator wants them there. */
export function noticeMessage(target: NotifyTarget, notice: Notice, { url, topic }: MessagePlace): Json {
  switch (target.kind) {
    case 'ntfy':
      return ntfyMessage(target, notice, url, topic);
    case 'slack':
      return slackMessage(target, notice, url);
    case 'webhook':
      return {
        ...notice.document,
        ...(target.arguments === true && notice.held !== null ? { arguments: notice.held.arguments } : {}),
        ...(url === null ? {} : { url }),
      };
  }
}

/** See https://docs.ntfy.sh/publish/#publish-as-json */
function ntfyMessage(target: NotifyTarget, notice: Notice, url: string | null, topic: string): JsonObject {
  return {
    topic,
    title: lineOf(notice.title),
    message: textLines(target, notice, url).join('\n'),
    priority: 4,
    tags: ['raised_hand'],
    ...(url === null ? {} : { click: url }),
  };
}

/** Slack reads &, < and > as marks of links and mentions. Other marks only change how a text looks. */
function slackMessage(target: NotifyTarget, notice: Notice, url: string | null): JsonObject {
  const title = escapeMrkdwn(lineOf(notice.title));
  const lines = [title, ...textLines(target, notice, url).map(escapeMrkdwn)];
  const button = (link: string): JsonObject => ({
    type: 'actions',
    elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open' }, url: link }],
  });
  return {
    text: title,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: lines.join('\n'), verbatim: true } },
      ...(url === null ? [] : [button(url)]),
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

function textLines(target: NotifyTarget, { lines, command, held }: Notice, url: string | null): string[] {
  return [
    ...lines.map(lineOf),
    ...(target.arguments === true && held !== null
      ? [cut(`Arguments: ${oneLine(JSON.stringify(held.arguments))}`, maxArguments)]
      : []),
    // Without a link, people decide at the terminal.
    ...(url === null ? [command] : []),
  ];
}

function lineOf(text: string): string {
  return cut(oneLine(text), maxLine);
}

function oneLine(text: string): string {
  return replaceHidden(text.replace(/\s+/g, ' '), (codePoint) => `<${codePointName(codePoint)}>`);
}

function cut(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length).join('')}… (cut off)`;
}

function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
