import { StringDecoder } from 'node:string_decoder';

/**
 * The data of each event of a stream, as server-sent events have it. Throws at one that is larger than `limit`.
 * `onField`: called with the id of an event before its data, and with the milliseconds to wait before a new connection.
 */
export async function* eventsOf(
  body: AsyncIterable<Buffer>,
  limit: number,
  tooLarge: () => Error,
  onField: (field: 'id' | 'retry', value: string) => void = () => {},
): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  /** Of the line that has not ended; every character is looked at once, however small the pieces are that come. */
  let begun = '';
  let held = '';
  let data: string[] = [];
  let size = 0;
  let isMessage = true;
  for await (const chunk of body) {
    const text = held + decoder.write(chunk);
    // A line may end with one character whose other half has not come yet.
    held = text.endsWith('\r') ? '\r' : '';
    const lines = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
    const rest = lines.pop() as string;
    if (lines.length > 0) {
      lines[0] = begun + lines[0];
      begun = '';
    }
    begun += rest;
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
        // An empty one takes room, too.
        size += value.length + 1;
        data.push(value);
      } else if (field === 'event') isMessage = value === 'message';
      else if (field === 'id' || field === 'retry') onField(field, value);
    }
    if (size + begun.length > limit) throw tooLarge();
  }
}
