// Saves what is shown: as mermaid text, as pictures, as messages.

import { mermaidText } from '../mermaid-text.js';
import type { ChartRow, Model } from '../model.js';
import { pictureOf } from '../picture.js';
import type { Chart } from './chart.js';
import type { Data } from './data.js';
import { add, button, element } from './element.js';
import { LONGEST_SIDE, pngOf, svgOf } from './picture.js';

export function exportMenu(model: Model, data: Data, chart: Chart): HTMLDetailsElement {
  const shown = (): readonly ChartRow[] => chart.shown;
  /** The page's head is its title, with the story that is shown. */
  const picture = (highest: number) => {
    const heads = document.querySelectorAll<HTMLElement>('#headline > *, #stories [aria-pressed="true"]');
    const title = [...heads].flatMap(({ innerText }) => innerText.split('\n'));
    return pictureOf(model, shown(), chart.gaps, title, highest);
  };
  const status = element('p', { role: 'status' });
  const save = (name: string, make: () => Promise<Blob | string>): HTMLElement =>
    button(name, () => {
      status.textContent = '';
      make().then(
        (made) => {
          if (typeof made === 'string') status.textContent = made;
          else download(made, `kubeseq.${name.split('.')[1]}`);
        },
        (error: unknown) => {
          status.textContent = `Not saved: ${String(error)}`;
        },
      );
    });
  const content = element(
    'fieldset',
    {},
    element('legend', {}, 'Save what is shown'),
    save('diagram.mmd', async () => new Blob([mermaidText(model, shown())], { type: 'text/plain' })),
    save('picture.svg', async () => svgOf(picture(HIGHEST_SVG))),
    save('picture.png', () => pngOf(picture(LONGEST_SIDE))),
    save('messages.ndjson', async () => new Blob(await linesOf(data, shown()), { type: 'application/x-ndjson' })),
    button('Copy mermaid', () => {
      navigator.clipboard.writeText(mermaidText(model, shown())).then(
        () => {
          status.textContent = 'Copied';
        },
        () => {
          status.textContent = 'Not allowed here';
        },
      );
    }),
  );
  const menu = element('details', { class: 'menu' }, element('summary', {}, 'Export'), content);
  add(content, status);
  return menu;
}

/** As `messages -o ndjson --bodies` prints them, with what the page has. */
async function linesOf(data: Data, rows: readonly ChartRow[]): Promise<string[]> {
  await data.loadAll();
  return rows.map((row) => `${data.lineOf(row)}\n`);
}

function download(blob: Blob, name: string): void {
  // The browser may still read the last one when its link is clicked.
  if (lastUrl !== '') URL.revokeObjectURL(lastUrl);
  lastUrl = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = lastUrl;
  link.download = name;
  link.click();
}

/** Of what was saved last; empty: nothing was. */
let lastUrl = '';
/** Limit: px of the height of an SVG of a page: some 5,000 arrows, which viewers still scroll through. */
const HIGHEST_SVG = 200_000;
