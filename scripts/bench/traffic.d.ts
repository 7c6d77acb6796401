export interface TrafficOptions {
  readonly copies: number;
  readonly first?: number;
  readonly hosts?: number;
  readonly objects?: boolean;
  readonly renamed?: string;
}
export interface Piece {
  readonly bytes: Uint8Array;
  readonly packets: number;
}
export function inTurn(bytes: Uint8Array, options: TrafficOptions): Generator<Piece>;
export function atOnce(bytes: Uint8Array, options: TrafficOptions): Generator<Piece>;
