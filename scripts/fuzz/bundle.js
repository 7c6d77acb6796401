// Puts a TypeScript file and all it imports into one script, with a counter at every place where the program can go one way
// or another: a fuzzer sees by them what an input reached.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript-api';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @param {string} entry path from the repository's root
 * @param {string} outfile
 * @param {{ counted: boolean }} options counted: sources of src/ get counters, in `globalThis.__reached`
 */
export async function bundle(entry, outfile, { counted }) {
  let places = 0;
  await build({
    entryPoints: [join(ROOT, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
    banner: counted ? { js: `globalThis.__reached = new Uint8Array(${PLACES});` } : {},
    plugins: [
      {
        name: 'sources',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const text = readFileSync(path, 'utf8').replaceAll(
              'import.meta.url',
              JSON.stringify(pathToFileURL(path).href),
            );
            const isCounted = counted && path.startsWith(join(ROOT, 'src/')) && !path.includes('/tables/');
            const contents = isCounted ? withCounters(path, text, () => places++ % PLACES) : text;
            return { contents, loader: 'ts', resolveDir: dirname(path) };
          });
        },
      },
    ],
  });
  return places;
}

/** A counter at the beginning of every block, and in every branch that has none. */
function withCounters(path, text, place) {
  const { factory } = ts;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const count = () =>
    factory.createPostfixIncrement(
      factory.createElementAccessExpression(
        factory.createIdentifier('__reached'),
        factory.createNumericLiteral(place()),
      ),
    );
  const counting = () => factory.createExpressionStatement(count());
  const also = (expression) =>
    factory.createParenthesizedExpression(
      factory.createComma(count(), factory.createParenthesizedExpression(expression)),
    );
  const blocked = (statement) =>
    statement === undefined || ts.isBlock(statement) ? statement : factory.createBlock([counting(), statement], true);
  const { transformed } = ts.transform(source, [
    (context) => {
      const visit = (node) => {
        const made = ts.visitEachChild(node, visit, context);
        if (ts.isBlock(made)) return factory.updateBlock(made, [counting(), ...made.statements]);
        if (ts.isCaseClause(made))
          return factory.updateCaseClause(made, made.expression, [counting(), ...made.statements]);
        if (ts.isIfStatement(made))
          return factory.updateIfStatement(
            made,
            made.expression,
            blocked(made.thenStatement),
            blocked(made.elseStatement),
          );
        if (ts.isConditionalExpression(made))
          return factory.updateConditionalExpression(
            made,
            made.condition,
            made.questionToken,
            also(made.whenTrue),
            made.colonToken,
            also(made.whenFalse),
          );
        return made;
      };
      return (file) => ts.visitEachChild(file, visit, context);
    },
  ]);
  return ts.createPrinter().printFile(transformed[0]);
}

/** More than there are places. */
const PLACES = 1 << 15;
