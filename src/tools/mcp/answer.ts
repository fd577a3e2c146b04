// Owns how the answer of an MCP server becomes what a tool returns: text, images, structured content as JSON. Pure.
import type { ContentBlock } from '@modelcontextprotocol/client';
import type { ImageBlock, TextBlock } from '../../protocol/history.ts';
import { imageBlock, isImageType } from '../../protocol/image.ts';

/** What a server answers to a call, as far as it is read here. */
export type McpAnswer = {
  readonly content?: readonly ContentBlock[] | undefined;
  readonly structuredContent?: unknown;
};

/** The content blocks for an answer; none when there is nothing in it. What models cannot take is named instead. */
export function toBlocks(answer: McpAnswer): readonly (TextBlock | ImageBlock)[] {
  const { content = [], structuredContent } = answer;
  const blocks = content.map(toBlock);
  if (structuredContent === undefined) return blocks;
  const json = JSON.stringify(structuredContent);
  // Servers are asked to repeat it as text for older clients: once is enough.
  const isRepeated = blocks.some((block) => block.type === 'text' && sameJson(block.text, json));
  return isRepeated ? blocks : [...blocks, text(json)];
}

/** The text of an answer, for one that reports a failed call. */
export function textOfAnswer(answer: McpAnswer): string {
  const lines = toBlocks(answer).map((block) =>
    block.type === 'text' ? block.text : `[an image, ${block.source.media_type}]`,
  );
  return lines.join('\n') || 'the server says no more';
}

function toBlock(block: ContentBlock): TextBlock | ImageBlock {
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'image':
      return image(block.mimeType, block.data);
    case 'audio':
      return text(`[audio that cannot be shown: ${block.mimeType}]`);
    case 'resource_link':
      return text(`[resource ${block.uri}: ${block.title ?? block.name}]`);
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return text(`[resource ${resource.uri}]\n${resource.text}`);
      return text(
        `[resource ${resource.uri} that cannot be shown: ${resource.mimeType ?? 'bytes'}]`,
      );
    }
    default:
      // A kind of a later version of the protocol.
      return text('[content of a kind that is not known here]');
  }
}

function image(mediaType: string, data: string): TextBlock | ImageBlock {
  if (!isImageType(mediaType)) return text(`[an image that cannot be shown: ${mediaType}]`);
  return imageBlock(mediaType, data);
}

function text(value: string): TextBlock {
  return { type: 'text', text: value };
}

function sameJson(written: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(written)) === json;
  } catch {
    // Not JSON at all: then it is not the same.
    return false;
  }
}
