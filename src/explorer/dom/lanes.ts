// Lays out lanes: where the lifelines of participants stand, and the boxes around the heads of one manager's controllers.

import type { View } from '../../render/html/html-format.js';
import { laneRules } from '../lanes.js';
import { byId, element } from './element.js';

export class LaneLayout {
  /** Holds the rules of the lanes. */
  readonly #sheet: CSSStyleSheet;
  readonly #boxes: HTMLElement[] = [];
  /** Place of each participant among the lanes; -1 if it has none. */
  #places: readonly number[] = [];
  #lane = LANE_NARROWEST;

  constructor(sheet: CSSStyleSheet) {
    this.#sheet = sheet;
  }

  /** @returns whether they are other lanes than before. */
  place(places: readonly number[]): boolean {
    if (places.join() === this.#places.join()) return false;
    this.#places = places;
    this.#sheet.replaceSync(laneRules(places));
    return true;
  }

  /** Lanes share the width of the chart in px, down to a width in which a name is legible; on paper, down to nothing. */
  fit(width: number, isPaper = false): void {
    const lanes = Math.max(0, ...this.#places) + 1;
    const narrowest = isPaper ? 1 : LANE_NARROWEST;
    this.#lane = Math.max(narrowest, Math.min(LANE_WIDEST, Math.floor((width - GUTTER - LABEL_ROOM) / lanes)));
    const { style } = byId('chart');
    style.setProperty('--lanes', String(lanes));
    style.setProperty('--lane', `${this.#lane}px`);
  }

  /** Draws a box around the controllers of one manager. */
  boxHeads({ participants }: View): void {
    for (const box of this.#boxes.splice(0)) box.remove();
    for (let i = 0; i < participants.length; i++) {
      const { box } = participants[i];
      const first = this.#places[i];
      if (box === undefined || first < 0) continue;
      let last = first;
      for (; participants[i + 1]?.box === box; i++) if (this.#places[i + 1] >= 0) last = this.#places[i + 1];
      const head = element('li', { class: 'box', 'aria-hidden': 'true' }, box);
      head.style.setProperty('--p', String(first));
      head.style.setProperty('--n', String(last - first + 1));
      this.#boxes.push(head);
      byId('heads').append(head);
    }
  }

  /** Middle of a participant's lane, px. */
  xOf(participant: number): number {
    return GUTTER + (this.#places[participant] + 0.5) * this.#lane;
  }
}

/** px, as in page.css: where numbers and times stand, left of the lanes. */
export const GUTTER = 104;
/** px: in which a name is legible. */
export const LANE_NARROWEST = 108;
const LANE_WIDEST = 220;
/** Room for labels right of the last lane. */
const LABEL_ROOM = 120;
