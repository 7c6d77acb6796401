// Loads the `yaml` library at its first use: loading it takes longer than reading a small capture.

import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

export function yamlLibrary(): typeof Yaml {
  yaml ??= createRequire(import.meta.url)('yaml') as typeof Yaml;
  return yaml;
}

let yaml: typeof Yaml | undefined;
