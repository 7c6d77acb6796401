// The keyboard: which key does what. Knows keys, not what comes of them.

export interface KeyActions {
  /** @param step rows forth or back; Infinity: the last or first one. */
  move(step: number): void;
  open(): void;
  toCause(): void;
  toEffect(): void;
  toOtherHalf(): void;
  unfoldBefore(): void;
  toggleFolds(): void;
  search(): void;
  escape(): void;
  help(): void;
}

export function listenToKeys(actions: KeyActions): void {
  const table: Readonly<Record<string, () => void>> = {
    ArrowDown: () => actions.move(1),
    j: () => actions.move(1),
    ArrowUp: () => actions.move(-1),
    k: () => actions.move(-1),
    Home: () => actions.move(Number.NEGATIVE_INFINITY),
    End: () => actions.move(Number.POSITIVE_INFINITY),
    c: actions.toCause,
    e: actions.toEffect,
    r: actions.toOtherHalf,
    x: actions.unfoldBefore,
    u: actions.toggleFolds,
    '/': actions.search,
    '?': actions.help,
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null) return;
    if (event.key === 'Escape') {
      actions.escape();
      return;
    }
    const { target } = event;
    const isElsewhere = target instanceof Element && target.closest('input, summary, fieldset, #panel') !== null;
    if (isElsewhere || table[event.key] === undefined) return;
    event.preventDefault();
    table[event.key]();
  });
}
