// From the bytes of a capture to every output, in one go, and what must be true of them whatever the bytes were.

import { captureReader } from '../../../src/capture/capture-reader.js';
import { explain } from '../../../src/diagram/explain.js';
import {
  buildSequence,
  escapeTerminal,
  type Message,
  MessageStage,
  messageLineWithBody,
  NOTICE_CODES,
  type Notice,
  type PipelineOptions,
  PLAIN,
  renderCsvRow,
  renderMarkdown,
  renderMermaid,
  renderSequenceJson,
  renderText,
  SavedWriter,
  SummaryCollector,
  tableRow,
} from '../../../src/index.js';
import { renderSteps } from '../../../src/render/sequence/steps.js';

/** Reads a capture and writes everything that can be written of it. @throws where something is not as it must be. */
export function checkCapture(bytes: Uint8Array, options: PipelineOptions & { readonly piece?: number } = {}): void {
  const pipeline = new MessageStage({ bodies: true, ...options });
  const reader = captureReader({ capture: 0 });
  const collector = new SummaryCollector(['capture'], { streams: true });
  const digits = (): number => 9;
  const writer = new SavedWriter({ captures: ['capture'], redacted: true, digits });
  const messages: Message[] = [];
  const notices: Notice[] = [];
  const take = (items: ReturnType<MessageStage['feed']>): void => {
    for (const item of items) {
      collector.add(item);
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice') notices.push(item);
    }
    for (const text of writer.feed(items, pipeline.firstTime)) JSON.parse(lastLine(text));
  };
  const { piece = bytes.length } = options;
  let now = 0n;
  let steady = true;
  const feed = (inputs: ReturnType<typeof reader.feed>): void => {
    for (const input of inputs) {
      if (input.kind === 'frame') {
        steady &&= input.origin.time >= now;
        now = input.origin.time;
      }
      take(pipeline.feed(input));
    }
  };
  for (let at = 0; at < bytes.length; at += piece) feed(reader.feed(Uint8Array.from(bytes.subarray(at, at + piece))));
  feed(reader.end());
  take(pipeline.end());
  for (const text of writer.end(pipeline.firstTime)) JSON.parse(lastLine(text));

  for (const { code, detail } of notices) {
    must(Object.hasOwn(NOTICE_CODES, code), 'a notice has a code of the list');
    must(detail.length < 2000, 'a notice is short');
  }
  let seq = 0;
  for (const message of messages) {
    seq += 1;
    must(message.seq === seq, 'messages are numbered one by one');
    must(message.frames[0] >= 1 && message.frames[0] <= message.frames[1], 'a message has frames');
    must(!steady || message.started <= message.time, 'a message ends after it began');
    must((message.causedBy ?? 0) < seq, 'a cause is before its effect');
    const line = messageLineWithBody(message, { digits });
    must(!line.includes('\n'), 'one message is one line');
    JSON.parse(line);
    isClean(tableRow(message, messages[0].time, PLAIN), 'table');
    renderCsvRow(message, { digits });
  }
  const result = collector.result();
  JSON.stringify(result);
  must(result.exchanges.complete <= result.exchanges.total, 'complete exchanges are exchanges');
  for (const all of [true, false]) {
    const sequence = buildSequence({ messages, notices }, { all });
    isClean(renderMermaid(sequence, { frames: true }), 'mermaid');
    isClean(renderMarkdown(sequence), 'markdown');
    isClean(renderText(sequence, { first: 0n }), 'text');
    isClean(renderSteps(sequence), 'steps');
    JSON.parse(renderSequenceJson(sequence, { digits }));
  }
  if (seq > 0)
    for (const line of explain(messages, 1 + (bytes.length % seq)) ?? []) isClean(escapeTerminal(line), 'explain');
}

/** No control characters, no direction marks, no characters without width. */
export function isClean(text: string, what: string): void {
  const found = UNCLEAN.exec(text);
  must(found === null, `${what} holds U+${found?.[0].codePointAt(0)?.toString(16)}`);
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) || 'null';
}

export function must(condition: boolean, what: string): void {
  if (!condition) throw new Error(`not so: ${what}`);
}

/** C0 but tab and line feed, DEL, C1, bidi controls, zero width. */
export const UNCLEAN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
