// Does long work in small steps between what a reader does.

/** Lets the browser paint and answer its reader before the next step, without the delay of a timer. */
export function pause(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}

/** Calls `step` until it returns false, while the browser has nothing else to do. @param step takes a few ms at most. */
export async function whileIdle(step: () => boolean): Promise<void> {
  for (let isMore = true; isMore; ) isMore = await someSteps(step);
}

async function someSteps(step: () => boolean): Promise<boolean> {
  // Safari 18 has no requestIdleCallback.
  if (!('requestIdleCallback' in globalThis)) return pause().then(step);
  return new Promise((done) => {
    requestIdleCallback((deadline) => {
      let isMore = true;
      while (isMore && deadline.timeRemaining() > LEFT) isMore = step();
      done(isMore);
    });
  });
}

/** ms that a step may take. */
const LEFT = 3;
