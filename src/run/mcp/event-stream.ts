import { StringDecoder } from 'node:string_decoder';

/** The data of each event of a stream, as server-sent events have it. Throws at one that is larger than `limit`. */
export async function* eventsOf(
  body: AsyncIterable<Buffer>,
  limit: number,
  tooLarge: () => Error,
): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let data: string[] = [];
  let size = 0;
  let isMessage = true;
  for await (const chunk of body) {
    pending += decoder.write(chunk);
    // A line may end with one character whose other half has not come yet.
    const complete = pending.endsWith('\r') ? pending.slice(0, -1) : pending;
    const lines = complete.split(/\r\n|\n|\r/);
    pending = (lines.pop() as string) + pending.slice(complete.length);
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0 && isMessage) yield data.join('\n');
        data = [];
        size = 0;
        isMessage = true;
        continue;
      }
      const at = line.indexOf(':');
      const field = at === -1 ? line : line.slice(0, at);
      const value = at === -1 ? '' : line.slice(at + 1).replace(/^ /, '');
      if (field === 'data') {
        size += value.length;
        data.push(value);
      } else if (field === 'event') isMessage = value === 'message';
    }
    if (size + pending.length > limit) throw tooLarge();
  }
}
