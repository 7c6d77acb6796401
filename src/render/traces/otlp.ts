// Renders exchanges and watch events as spans in OTLP's JSON encoding, one ExportTraceServiceRequest a line, as the OTLP file exporter
// writes them (opentelemetry.io/docs/specs/otel/protocol/file-exporter).

import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { jsonText } from '../escape/json-text.js';
import {
  type Attributes,
  type AttributeValue,
  causesOutside,
  errorOf,
  exchangeAttributes,
  operationOf,
  originAttributes,
  partAttributes,
  type TraceOptions,
} from './attributes.js';
import { ExchangeTracker, type FoundCause, type TracedExchange } from './exchange-tracker.js';
import { type SpanCause, type SpanRef, StoryTraces } from './story-traces.js';

export class OtlpWriter {
  readonly #options: TraceOptions;
  readonly #ids: SpanIds;
  /** Spans of the line that is being made, by the id of their participant. */
  readonly #spans = new Map<number, { readonly participant: Participant; readonly texts: string[] }>();
  #gathered = 0;
  #lines = '';
  readonly #tracker: ExchangeTracker<SpanRef>;
  /** null: each exchange is a trace. */
  readonly #stories: StoryTraces | null;

  constructor(options: TraceOptions) {
    this.#options = options;
    this.#ids = new SpanIds(options.first);
    this.#stories = options.story === undefined ? null : new StoryTraces(this.#ids, options.story === 'one');
    this.#tracker = new ExchangeTracker<SpanRef>({
      opened: (first, causes) => this.#stories?.refOf(first, causes) ?? traceparentOf(first),
      closed: (exchange) => this.#exchange(exchange),
      part: (message, parent, causes) => this.#part(message, parent, causes),
    });
  }

  /** Characters of complete lines. */
  get length(): number {
    return this.#lines.length;
  }

  add(message: Message): void {
    this.#tracker.add(message);
  }

  take(): string {
    const lines = this.#lines;
    this.#lines = '';
    return lines;
  }

  /** After the last message. @returns what was not taken yet. */
  end(): string {
    this.#tracker.end();
    this.#endLine();
    return this.take();
  }

  #exchange(exchange: TracedExchange<SpanRef>): void {
    const { first, response, end, causes, ref } = exchange;
    const answer = response ?? first;
    if (response !== undefined) this.#stories?.answered(response, ref);
    const error = response === undefined ? undefined : errorOf(response);
    this.#push(first.kind === 'response' ? first.to : first.from, {
      ...this.#idsOf(ref),
      name: operationOf(first),
      kind: CLIENT,
      startTimeUnixNano: String(first.started),
      endTimeUnixNano: String(end > first.started ? end : first.started),
      attributes: attributesOf(exchangeAttributes(exchange, this.#options)),
      ...this.#linksOf(this.#stories === null ? causes : [...causes, ...ownTraceOf(first)]),
      status: error === undefined ? {} : { code: ERROR, message: answer.statusMessage ?? answer.reason },
    });
  }

  #part(message: Message, parent: SpanRef | undefined, causes: readonly FoundCause<SpanRef>[]): SpanRef {
    const { seq } = message;
    const ref: SpanRef =
      this.#stories?.refOf(message, causes, parent) ??
      (parent === undefined
        ? { seq }
        : { seq, traceId: this.#traceIdOf(parent), parentId: this.#ids.spanId(parent.seq) });
    const isLinked = parent !== undefined && ref.parentId !== this.#ids.spanId(parent.seq);
    this.#push(message.to, {
      ...this.#idsOf(ref),
      name: operationOf(message),
      kind: CONSUMER,
      startTimeUnixNano: String(message.started),
      endTimeUnixNano: String(message.time > message.started ? message.time : message.started),
      attributes: attributesOf({
        ...partAttributes(message),
        ...originAttributes(message, this.#options.captures),
        'kubeseq.causes_outside': causesOutside(causes),
      }),
      ...this.#linksOf(isLinked ? [...causes, partOf(parent)] : causes),
      status: errorOf(message) === undefined ? {} : { code: ERROR, message: message.statusMessage ?? message.reason },
    });
    return ref;
  }

  #idsOf(ref: SpanRef): object {
    return { traceId: this.#traceIdOf(ref), spanId: this.#ids.spanId(ref.seq), parentSpanId: ref.parentId };
  }

  #traceIdOf({ seq, traceId }: SpanRef): string {
    return traceId ?? this.#ids.traceId(seq);
  }

  /** Causes are links: a controller may work once for several events, so that no span is the parent. */
  #linksOf(causes: readonly SpanCause[]): object {
    const links = causes.flatMap(({ ref, seq, how, certain, alternative }) =>
      ref === undefined
        ? []
        : {
            traceId: this.#traceIdOf(ref),
            spanId: ref.spanId ?? this.#ids.spanId(ref.seq),
            attributes: attributesOf({
              'kubeseq.seq': seq,
              'kubeseq.how': how,
              'kubeseq.certain': certain,
              'kubeseq.alternative': alternative ? true : undefined,
            }),
          },
    );
    return {
      links: links.length === 0 ? undefined : links,
      droppedLinksCount: causes.length - links.length || undefined,
    };
  }

  #push(participant: Participant, span: object): void {
    const text = jsonText(span);
    const of = this.#spans.get(participant.id);
    if (of === undefined) this.#spans.set(participant.id, { participant, texts: [text] });
    else of.texts.push(text);
    this.#gathered += text.length;
    if (this.#gathered >= MAX_LINE) this.#endLine();
  }

  /** A participant has one resource in each line. */
  #endLine(): void {
    const scope = jsonText({ name: 'kubeseq', version: this.#options.version });
    const resources: string[] = [];
    for (const { participant, texts } of this.#spans.values()) {
      const { id, name, component } = participant;
      const attributes = attributesOf({
        'service.name': name,
        'service.instance.id': String(id),
        'kubeseq.component': component,
      });
      resources.push(
        `{"resource":${jsonText({ attributes })},"scopeSpans":[{"scope":${scope},"spans":[${texts.join(',')}]}]}`,
      );
    }
    if (resources.length > 0) this.#lines += `{"resourceSpans":[${resources.join(',')}]}\n`;
    this.#spans.clear();
    this.#gathered = 0;
  }
}

/** The exchange that an event or a piece came in, where its story is another. */
function partOf(ref: SpanRef): SpanCause {
  return { seq: ref.seq, how: 'response', certain: true, alternative: false, ref };
}

/** The span of the program that sent a request, where its story is another trace. */
function ownTraceOf(first: Message): SpanCause[] {
  const { seq, traceId, parentId: spanId } = traceparentOf(first);
  return spanId === undefined ? [] : [{ ...partOf({ seq, traceId, spanId }), how: 'traceparent' }];
}

/** `00-TRACE-PARENT-FLAGS` (W3C Trace Context, 3.2.2). */
function traceparentOf({ seq, traceparent }: Message): SpanRef {
  const [, traceId, parentId] = /^\w\w-(\w{32})-(\w{16})-/.exec(traceparent ?? '') ?? [];
  return traceId === undefined ? { seq } : { seq, traceId: traceId.toLowerCase(), parentId: parentId.toLowerCase() };
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : { key, value: anyValueOf(value) },
  );
}

/** An `AnyValue`; integers of 64 bits are texts in protobuf's JSON. */
function anyValueOf(value: Exclude<AttributeValue, undefined>): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(anyValueOf) } };
}

/** Numbers of enums in trace.proto. */
const CLIENT = 3;
const CONSUMER = 5;
const ERROR = 2;

/** Limit: characters of a line's spans: OpenTelemetry's collector refuses requests of more than 20 MiB. */
const MAX_LINE = 4 * 1024 * 1024;

export class SpanIds {
  readonly #base: bigint;

  /** @param first ns since the epoch: the first frame. */
  constructor(first: bigint) {
    this.#base = mix(first);
  }

  /** 16 hexadecimal digits. The mix is a bijection: messages never share an id. */
  spanId(seq: number): string {
    return hexOf(mix(this.#base + BigInt(seq) * GOLDEN));
  }

  /** 32 hexadecimal digits. */
  traceId(seq: number): string {
    return hexOf(mix(~this.#base + BigInt(seq) * GOLDEN)) + this.spanId(seq);
  }
}

/** The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). */
function mix(value: bigint): bigint {
  let z = BigInt.asUintN(64, value);
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** An id of zeros alone is invalid (trace.proto). */
function hexOf(id: bigint): string {
  return (id === 0n ? 1n : id).toString(16).padStart(16, '0');
}

/** The step of SplitMix64: 2^64 by the golden ratio. */
const GOLDEN = 0x9e3779b97f4a7c15n;
