// Where the parts, menus and dialogs of an explorable page stand in a window.

import type { Frame, Page } from 'playwright-core';

/** What stands where another thing stands, or outside of the window, and what leaves too little room for arrows. */
export function misplaced(frame: Page | Frame): Promise<string[]> {
  return frame.evaluate<string[]>(`(() => {
    const faults = [];
    const boxOf = (one) => one.getBoundingClientRect();
    const apart = (elements) => {
      const shown = elements.filter((one) => one.offsetWidth > 0);
      shown.forEach((one, i) => {
        const a = boxOf(one);
        for (const other of shown.slice(i + 1)) {
          const b = boxOf(other);
          const isOver = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
          if (isOver) faults.push([one, other].map(({ id, textContent }) => id || textContent.slice(0, 20)).join(' over '));
        }
      });
    };
    apart([...document.querySelectorAll('#bar, #strip, #stories, #chart, #panel')]);
    apart([...document.querySelectorAll('#tools > *')]);
    apart([...document.querySelectorAll('#headline > *')]);
    apart([...document.querySelectorAll('#heads > [data-p]')]);
    for (const id of ['bar', 'strip', 'chart']) {
      const { left, right } = boxOf(document.getElementById(id));
      if (left < 0 || right > innerWidth) faults.push(id + ' leaves the window');
    }
    const { bottom } = boxOf(document.getElementById('heads'));
    if (bottom > ${MAX_HEAD}) faults.push('the head has ' + bottom + ' px');
    const first = boxOf(document.querySelector('.row:not([hidden]) > button')).bottom;
    if (innerWidth < 500 && first > ${MAX_FIRST}) faults.push('the first arrow is ' + first + ' px below');
    return faults;
  })()`);
}

/** Opens each menu and the help, and measures what came up. @returns names of all, and what is not inside the window. */
export async function outside(frame: Page | Frame): Promise<{ seen: string[]; faults: string[] }> {
  const seen: string[] = [];
  const faults: string[] = [];
  const measure = async (name: string, selector: string): Promise<void> => {
    // A toggle event comes after the menu was drawn open.
    const box = await frame.evaluate<{ left: number; top: number; right: number; bottom: number }>(
      `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
        const { left, top, right, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
        done({ left, top, right: innerWidth - right, bottom: innerHeight - bottom });
      })))`,
    );
    seen.push(name);
    for (const [side, room] of Object.entries(box)) if (room < 0) faults.push(`${name}: ${side} ${Math.round(room)}`);
  };
  const menus = await frame.locator('details.menu').count();
  for (let i = 0; i < menus; i++) {
    const summary = frame.locator('details.menu > summary').nth(i);
    const [name] = ((await summary.textContent()) ?? '').split(' ');
    await summary.click();
    await measure(name, 'details.menu[open] > fieldset');
    await frame.locator('body').press('Escape');
  }
  if (!(await frame.locator('#stories').isVisible())) {
    await frame.locator('#tools').getByText('Stories', { exact: true }).click();
    await measure('Stories', '#stories');
    await frame.locator('body').press('Escape');
  }
  await frame.locator('#tools > button', { hasText: '?' }).click();
  await measure('Help', 'dialog[open]');
  await frame.locator('dialog[open] > button').press('Escape');
  return { seen, faults };
}

/** px from the top of the window: the controls, the strip of time and the heads of the participants. */
const MAX_HEAD = 160;
/** px from the top of a phone's window to the bottom of the first arrow. */
const MAX_FIRST = 300;
