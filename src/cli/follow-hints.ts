// What is said where nothing is told of the object that a user asks for: where else one of its name is.

import { type Message, otherNamespaces } from '../index.js';
import { type FollowCliOptions, followOf } from './options.js';
import { printError } from './output/print-error.js';

/** @param messages all of the observation. */
export function sayElsewhere(options: FollowCliOptions, messages: readonly Message[]): void {
  const followed = followOf(options);
  if (followed === undefined || options.quiet === true) return;
  printError(`--follow ${options.follow}: ${elsewhere(otherNamespaces(messages, followed))}`);
}

/** @param namespaces others that have one. */
export function elsewhere(namespaces: readonly string[]): string {
  const [first, ...others] = namespaces;
  if (first === undefined) return 'nothing in the capture is about it';
  if (others.length === 0) return `it is in another namespace: -n ${first}`;
  const shown = namespaces.slice(0, SHOWN_NAMESPACES).join(', ');
  const more = namespaces.length - SHOWN_NAMESPACES;
  return `it is in other namespaces (-n): ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}

const SHOWN_NAMESPACES = 5;
