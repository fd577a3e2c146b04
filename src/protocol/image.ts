// Owns what an image may be for every provider: its kinds and its size. Pure.
import type { ImageBlock, Message } from './history.ts';

/** The kinds of image that every provider takes. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** Base64 characters of one image; providers refuse more. */
export const maxImageChars = 5_000_000;

export function isImageType(mediaType: string): boolean {
  return imageTypes.some((known) => known === mediaType);
}

/** The kind of image that bytes begin like, whatever their file is called; null for anything else. */
export function imageTypeOf(head: Uint8Array): (typeof imageTypes)[number] | null {
  const text = Buffer.from(head.subarray(0, 12)).toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  return /^RIFF.{4}WEBP$/s.test(text) ? 'image/webp' : null;
}

export function imageBlock(mediaType: string, data: string): ImageBlock {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

export function imagesOf(content: Message['content']): readonly ImageBlock[] {
  return content.filter((block) => block.type === 'image');
}
