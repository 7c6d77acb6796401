// Collects all templates, for the matcher and for the documents.

import { APISERVER } from './apiserver.js';
import { CONTROLLERS } from './controllers.js';
import { DOCKER } from './docker.js';
import { APISERVER_FORMATS } from './from-apiserver.js';
import { CONTROLLERS_FORMATS } from './from-controllers.js';
import { KUBELET_FORMATS } from './from-kubelet.js';
import { REGISTRY_FORMATS } from './from-registry.js';
import { SCHEDULER_FORMATS } from './from-scheduler.js';
import { VOLUMES_FORMATS } from './from-volumes.js';
import type { TemplateRow } from './grammar.js';
import { KUBELET } from './kubelet.js';
import { OPERATORS } from './operators.js';
import { RUNTIMES } from './runtimes.js';
import { SCHEDULER } from './scheduler.js';
import { STORAGE } from './storage.js';

const TABLES: readonly Readonly<Record<string, readonly string[]>>[] = [
  // Hand-written rows with the narrowest types of holes; of two templates with the same words these are tried first.
  KUBELET,
  SCHEDULER,
  CONTROLLERS,
  STORAGE,
  APISERVER,
  RUNTIMES,
  DOCKER,
  OPERATORS,
  // Generated from the format strings of Kubernetes' sources.
  KUBELET_FORMATS,
  SCHEDULER_FORMATS,
  CONTROLLERS_FORMATS,
  VOLUMES_FORMATS,
  APISERVER_FORMATS,
  REGISTRY_FORMATS,
];

export const TEMPLATE_ROWS: readonly TemplateRow[] = TABLES.flatMap((table) =>
  Object.entries(table).flatMap(([source, templates]) => templates.map((template) => ({ template, source }))),
);
