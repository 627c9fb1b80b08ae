/** Saves bytes or a text as a file of the person. */
export function download(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replace(/[^\w.-]+/g, '_') || 'file';
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Undefined if the text is not base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (it) => it.charCodeAt(0));
  } catch {
    return undefined;
  }
}
