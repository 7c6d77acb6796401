// Has the `yaml` library, as `platform/yaml.ts` does: the page is one file.

import * as Yaml from 'yaml';

export function yamlLibrary(): typeof Yaml {
  return Yaml;
}
