// What a reader does with an explorable page, and sees of it.

import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';

export class Reader {
  readonly panel: Locator;
  readonly stories: Locator;

  constructor(readonly page: Page) {
    this.panel = page.locator('#panel');
    this.stories = page.locator('#stories');
  }

  /** `seq` of the rows that are shown. @param name of a class: only those that have it. */
  seqs(name = 'row'): Promise<number[]> {
    return this.page.evaluate(
      `[...document.querySelectorAll('.${name}[data-seq]:not([hidden])')].map((row) => Number(row.dataset.seq))`,
    );
  }

  row(seq: number): Locator {
    return this.page.locator(`[data-seq="${seq}"] button`);
  }

  tool(name: string): Locator {
    return this.page.locator('#tools').getByRole('button', { name, exact: true });
  }

  menu(title: string): Locator {
    return this.page.locator('details.menu', { has: this.page.locator('summary', { hasText: title }) });
  }

  openMenu(title: string): Promise<void> {
    return this.menu(title).locator('summary').click();
  }

  async choose(title: string, option: string | RegExp): Promise<void> {
    await this.openMenu(title);
    await this.menu(title).locator('label', { hasText: option }).first().click();
    await this.press('Escape');
  }

  /** @param keys one after the other. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** To the page as it opened, without details. */
  async reset(): Promise<void> {
    await this.press('Escape', 'Escape', 'Escape');
    await this.tool('Reset').click();
  }

  status(): Promise<string | null> {
    return this.page.locator('#status').textContent();
  }

  hash(): Promise<string> {
    return this.page.evaluate('decodeURIComponent(location.hash)');
  }

  /** `seq` of the row that has the keyboard. */
  focused(): Promise<number> {
    return this.page.evaluate('Number(document.activeElement.parentElement.dataset.seq)');
  }

  /** `seq` of the messages that links of the details lead to. @param within selector. */
  async links(within: Locator): Promise<number[]> {
    const texts = await within.locator('.jump').allTextContents();
    return texts.map((text) => Number(/^message (\d+) /.exec(text)?.[1]));
  }

  section(title: string): Locator {
    return this.panel.locator('section', { hasText: title });
  }

  /** Saves what is shown by the Export menu. */
  async saved(name: string): Promise<{ readonly name: string; readonly path: string; readonly bytes: Buffer }> {
    await this.openMenu('Export');
    const download = this.page.waitForEvent('download');
    await this.page.getByText(name, { exact: true }).click();
    await this.press('Escape');
    const path = await (await download).path();
    return { name: (await download).suggestedFilename(), path, bytes: readFileSync(path) };
  }
}
