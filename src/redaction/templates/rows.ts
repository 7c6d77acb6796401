// Collects all templates, for the matcher and for the documents.

import { APISERVER } from './apiserver.js';
import { CONTROLLERS } from './controllers.js';
import { DOCKER } from './docker.js';
import type { TemplateRow } from './grammar.js';
import { KUBELET } from './kubelet.js';
import { OPERATORS } from './operators.js';
import { RUNTIMES } from './runtimes.js';
import { SCHEDULER } from './scheduler.js';
import { STORAGE } from './storage.js';

const TABLES: readonly Readonly<Record<string, readonly string[]>>[] = [
  KUBELET,
  SCHEDULER,
  CONTROLLERS,
  STORAGE,
  APISERVER,
  RUNTIMES,
  DOCKER,
  OPERATORS,
];

export const TEMPLATE_ROWS: readonly TemplateRow[] = TABLES.flatMap((table) =>
  Object.entries(table).flatMap(([source, templates]) => templates.map((template) => ({ template, source }))),
);
