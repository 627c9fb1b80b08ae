/** Text as the value of an MCP header. Text that is not valid in a header is sent as `=?base64?…?=`. */
export function encodeHeaderValue(text: string): string {
  const fits = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return fits ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
