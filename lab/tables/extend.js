// Adds to src/protobuf/tables what a later version has: messages, fields and kinds are never taken away, for captures of
// older clusters are read, too.
//
//   node lab/tables/extend.js kubernetes NAMES.json RULES.json MODULE...     NAMES and RULES as names.go and json-rules.go
//   node lab/tables/extend.js cri MODULE                                     print them; MODULE: a folder with .proto files
//   node lab/tables/extend.js etcd MODULE
//
// A field that is there with another number or wire type is an error.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { knownOf, readTable, writeTable } from './file.js';

/** An API of tests, and versions that were gone with Kubernetes 1.34. */
const LEFT_OUT = new RegExp(
  [
    '/(?:testapigroup|testdata|test)$',
    '/(?:admission|authorization|batch|discovery|events|extensions|node|policy|rbac|scheduling)/v1beta1$',
    '/(?:apiextensions|apiregistration)/v1beta1$',
    '/(?:apps|authentication|flowcontrol)/v1(?:alpha1|beta\\d)$',
    '/autoscaling/v2beta\\d$',
  ].join('|'),
);

const PROTO_FILES = /\/(?:generated|runtime\/v1\/api|etcdserverpb\/rpc|mvccpb\/kv|authpb\/auth)\.proto$/;

const [name, ...rest] = process.argv.slice(2);
const [names, rules] =
  name === 'kubernetes' ? rest.splice(0, 2).map((path) => JSON.parse(readFileSync(path, 'utf8'))) : [];
const table = readTable(name);
const before = count(table);
const old = structuredClone(table);
for (const folder of rest)
  for (const path of protoFiles(folder)) add(protobuf.parse(readFileSync(path, 'utf8'), { keepCase: true }).root);
if (names !== undefined) addNames();
writeTable(name, table);
process.stderr.write(`${name}: ${before} → ${count(table)} messages and fields\n`);

function* protoFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !LEFT_OUT.test(path)) yield* protoFiles(path);
    else if (PROTO_FILES.test(path)) yield path;
  }
}

function add(scope) {
  for (const nested of scope.nestedArray ?? []) {
    if (nested instanceof protobuf.Type) addMessage(nested);
    else if (nested instanceof protobuf.Enum)
      Object.assign(section('enums'), { [nameOf(nested)]: { ...nested.values, ...section('enums')[nameOf(nested)] } });
    else if (nested instanceof protobuf.Service) addService(nested);
    add(nested);
  }
}

function addMessage(type) {
  const fields = Object.fromEntries(
    type.fieldsArray.map((field) => {
      const label = field instanceof protobuf.MapField ? ['map'] : field.repeated ? ['repeated'] : [];
      return [field.name, [field.id, typeOf(type, field.type), ...label]];
    }),
  );
  merge(table, nameOf(type), fields);
}

function addService(service) {
  const methods = service.methodsArray.map((one) => {
    const types = [one.requestType, one.responseType].map((type) => typeOf(service, type));
    return [one.name, [...types, one.requestStream === true, one.responseStream === true]];
  });
  merge(section('services'), nameOf(service), Object.fromEntries(methods));
}

function section(of) {
  table[of] ??= {};
  return table[of];
}

/** A name as it stands in a file: Kubernetes writes `.k8s.io.api.core.v1.Pod`, within a package names are short. */
function typeOf(scope, name) {
  if (name in protobuf.types.basic || name === 'bytes') return name;
  if (name.startsWith('.')) return name.slice(1);
  for (let at = scope; at !== null; at = at.parent) {
    const found = at.lookup?.(name);
    if (found) return nameOf(found);
  }
  return name;
}

function nameOf(object) {
  return object.fullName.slice(1);
}

function merge(into, key, more) {
  const known = into[key] ?? {};
  for (const [name, value] of Object.entries(more)) {
    if (name in known && onWire(known[name]) !== onWire(value))
      throw new Error(`${key}.${name} is ${JSON.stringify(value)}, and was ${JSON.stringify(known[name])}`);
  }
  // In the order of numbers, as before.
  const fields = Object.entries({ ...more, ...known });
  into[key] = Object.fromEntries(fields.sort(([, [a]], [, [b]]) => (typeof a === 'number' ? a - b : 0)));
}

function onWire(value) {
  return JSON.stringify(value).replace('"string"', '"bytes"');
}

/** What is there stays: of two versions the first one's way of writing it. */
function addNames() {
  for (const [kind, message] of Object.entries(names.gvk)) if (message in table) table.gvk[kind] ??= message;
  for (const [message, fields] of Object.entries(names.jsonNames))
    addFacts('jsonNames', message, knownOf(table, message, fields));
  for (const [message, fields] of Object.entries(rules)) {
    const codes = knownOf(table, message, fields).map(([field, code]) => [field, sinceThen(message, field, code)]);
    const said = codes.filter(([, code]) => code !== null);
    addFacts('zeroValues', message, said);
  }
}

function addFacts(of, message, facts) {
  if (facts.length > 0) table[of][message] = { ...Object.fromEntries(facts), ...table[of][message] };
}

/** What an older server does not have is not on the wire: it writes neither zero nor null for it. */
function sinceThen(message, field, code) {
  if (!(message in old) || field in old[message] || code === 'p') return code;
  const [, type, label] = table[message][field];
  return code === 'a' && label === undefined && type in protobuf.types.basic ? 'p' : null;
}

function count(tables) {
  return Object.values(tables).reduce((sum, fields) => sum + 1 + Object.keys(fields).length, 0);
}
