// Owns the values of options of the command line: what each text means, and what is expected instead. Pure.
import { InvalidArgumentError } from 'commander';
import { parseDuration } from './units.ts';

export function wholeFromOne(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Expected a whole number from 1.');
}

export function wholeFromZero(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('Expected a whole number from 0.');
}

export function depth(text: string): number {
  if (/^[123]$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected 1, 2 or 3.');
}

export function dollars(text: string): number {
  const value = Number(text);
  if (/^\d*\.?\d+$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError('Expected an amount above 0, such as 2 or 0.50.');
}

export function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw new InvalidArgumentError('Expected a time above 0, such as 500ms, 30s, 10m or 1h.');
}

export function durationOrNone(text: string): number {
  if (/^0$/.test(text)) return 0;
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw new InvalidArgumentError('Expected a time, such as 30s, 10m or 1h, or 0.');
}

export function names(text: string): readonly string[] {
  return [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
}
