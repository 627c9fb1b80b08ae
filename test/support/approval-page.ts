// A browser for the page of held calls that does only what a test tells it: no script, no rendering.
import { type ReceivedResponse, request } from './http-bench.js';

export interface OpenedPage {
  readonly response: ReceivedResponse;
  /** The ticket of the form; undefined if the page has no form. */
  readonly ticket: string | undefined;
  /** `name=value` of the cookie that the page set. */
  readonly cookie: string | undefined;
}

/** The path and query of a link. */
export function pathOf(link: string): string {
  const { pathname, search } = new URL(link);
  return `${pathname}${search}`;
}

export async function openPage(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<OpenedPage> {
  const response = await request(port, path, { headers });
  return {
    response,
    ticket: /name="ticket" value="([^"]*)"/.exec(response.text)?.[1],
    cookie: response.headers['set-cookie']?.[0]?.split(';', 1)[0],
  };
}

/** Sends the form as a browser does. `headers` replace those of a browser; an empty one is left out. */
export function sendForm(
  port: number,
  path: string,
  fields: Record<string, string>,
  { cookie, headers = {} }: { cookie?: string | undefined; headers?: Record<string, string> } = {},
): Promise<ReceivedResponse> {
  const all: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    // A browser that keeps the address of the page to itself sends no origin.
    origin: 'null',
    'sec-fetch-site': 'same-origin',
    ...(cookie === undefined ? {} : { cookie }),
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  return request(port, path, { method: 'POST', body: new URLSearchParams(fields).toString(), headers: sent });
}
