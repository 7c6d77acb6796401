// Reads the data blocks of the page: the view at once, the others on demand.

import {
  BODIES_BLOCK,
  MESSAGES_BLOCK,
  type MessageLine,
  VIEW_BLOCK,
  type View,
} from '../../render/html/html-format.js';
import type { ChartRow } from '../model.js';
import { SearchIndex } from '../search.js';
import { byId } from './element.js';

export function readView(): View {
  return JSON.parse(byId(VIEW_BLOCK).textContent ?? '') as View;
}

export class Data {
  #messages: readonly string[] | null = null;
  #bodies: readonly string[] | null = null;
  #searchIndex: SearchIndex | null = null;

  messageOf({ index }: ChartRow): MessageLine {
    return JSON.parse(this.#messageLines[index]) as MessageLine;
  }

  /** undefined if the message has no body, or the page leaves it out. */
  bodyOf({ bodyAt }: MessageLine): unknown {
    return bodyAt === undefined ? undefined : JSON.parse(this.#bodyLines[bodyAt]);
  }

  get searchIndex(): SearchIndex {
    this.#searchIndex ??= new SearchIndex(this.#messageLines, this.#bodyLines);
    return this.#searchIndex;
  }

  get #messageLines(): readonly string[] {
    this.#messages ??= linesOf(MESSAGES_BLOCK);
    return this.#messages;
  }

  get #bodyLines(): readonly string[] {
    this.#bodies ??= linesOf(BODIES_BLOCK);
    return this.#bodies;
  }
}

function linesOf(id: string): string[] {
  return (byId(id).textContent ?? '').split('\n');
}
