// How an exchange was broken off, as the field `cut` of a message has it, and in words.

export interface CutInfo {
  readonly by: 'client' | 'server' | 'proxy';
  readonly how:
    | 'FIN'
    | 'FIN without close_notify'
    | 'close_notify'
    | 'RST'
    | 'RST_STREAM'
    | 'GOAWAY'
    | 'END_STREAM'
    | 'last chunk';
  /** Name of the error code of RST_STREAM or GOAWAY (RFC 9113, section 7). */
  readonly code?: string | undefined;
  /** ms in which the connection had carried no byte. */
  readonly silentMs?: number | undefined;
  /** ms since the last byte of the request, if it was not answered. */
  readonly afterMs?: number | undefined;
  /** ms that a watch was open which its server ended by its framing, and for which it was asked to be; undefined: no time was. */
  readonly openMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Bytes of the response's body that were sent, and that its head promised. */
  readonly received?: number | undefined;
  readonly promised?: number | undefined;
  /** The server says that it did not process the request. */
  readonly unprocessed?: true | undefined;
}

/** `RST_STREAM CANCEL` */
export function wayOf({ how, code }: Pick<CutInfo, 'how' | 'code'>): string {
  return code === undefined ? how : `${how} ${code}`;
}

/** `NO_ERROR`; a code that the RFC does not know as a number. */
export function errorName(code: number): string {
  return ERRORS[code] ?? `error ${code}`;
}

/** RFC 9113, section 7. */
const ERRORS: readonly string[] =
  `NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR
  REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY
  HTTP_1_1_REQUIRED`.split(/\s+/);

/** ms: a shorter silence is no reason to end a connection. */
export const TOLD_SILENCE_MS = 1000;

/** ns: hosts send again after 200 ms at the earliest (Linux: TCP_RTO_MIN; RFC 6298, section 2.4, recommends 1 s). */
export const NOTED_LOSS_NS = 100_000_000n;
