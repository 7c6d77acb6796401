// Tables as text: a line is a shape and the names of what has it, `number: limit timeoutSeconds`.

/** @returns the shape of each name. Comments begin with `//`. */
export function shapeRows<Shape extends string>(text: string): ReadonlyMap<string, Shape> {
  return new Map(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('//'))
      .flatMap((line) => {
        const [shape, ...names] = line.split(/:? +/);
        return names.map((name): [string, Shape] => [name, shape as Shape]);
      }),
  );
}
