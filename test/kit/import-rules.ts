// Which folder of src/ may import which, as tables; test/project/architecture.test.ts holds the sources against them.

/**
 * Folder → folders of which it may import types, and what it may import whole: a neighbour's vocabulary (the file of its
 * types, where a flag's number or the other side's name stands beside them), never its code. Its own and core/ always.
 */
export const RULES: Readonly<Record<string, { types: readonly string[]; all: readonly string[] }>> = {
  // What Node.js and browsers do each in their own way; imports nothing of the others.
  platform: { types: [], all: [] },
  core: { types: [], all: ['platform/bytes'] },
  capture: { types: [], all: [] },
  packet: { types: ['capture'], all: [] },
  tcp: { types: ['packet'], all: ['packet/segment'] },
  tls: { types: ['tcp'], all: ['tcp/stream-event', 'platform/certificate', 'platform/ciphers'] },
  http: { types: ['tcp'], all: ['tcp/stream-event', 'platform/compression'] },
  // Makes exchanges of an API server's own records.
  audit: { types: ['capture', 'tcp'], all: ['http/exchange-event'] },
  protobuf: { types: [], all: [] },
  // Replaces names in what the pipeline emits; words of Kubernetes stay, as its tables have them.
  anonymize: {
    types: ['kubernetes', 'pipeline', 'tcp', 'redaction'],
    all: [
      'kubernetes/api/kinds',
      'kubernetes/emitted/message-links',
      'kubernetes/lives/object-store',
      'kubernetes/messages/fields',
      'kubernetes/attributed/programs/known-programs',
      'platform/ciphers',
      'platform/bytes',
      'redaction/body/tables',
      'redaction/fields',
      'redaction/lists',
      'redaction/shown',
      'redaction/templates/rows',
      'redaction/words/dictionary',
      'redaction/words/word-shapes',
    ],
  },
  // Which failures may be shown is one rule, for labels and for bodies; labels are put together from texts that may be shown.
  kubernetes: {
    types: ['http', 'tcp', 'packet', 'redaction'],
    all: ['protobuf', 'redaction/failures', 'redaction/names', 'redaction/shown', 'platform/yaml'],
  },
  // Which fields a body has, and of which types they are.
  redaction: { types: [], all: ['protobuf'] },
  // Puts the stages together.
  pipeline: {
    types: [],
    all: [
      'audit',
      'capture',
      'packet',
      'tcp',
      'tls',
      'http',
      'kubernetes',
      'redaction',
      'saved',
      'platform/compression',
    ],
  },
  // Holds messages, whatever they say.
  spool: {
    types: ['kubernetes'],
    all: ['kubernetes/messages/fields', 'kubernetes/messages/present-fields'],
  },
  diagram: {
    types: ['kubernetes'],
    all: [
      'spool',
      'kubernetes/participants/place-name',
      'kubernetes/participants/tiers',
      'kubernetes/api/kinds',
      'kubernetes/api/object-ref',
      // Which requests nothing triggers.
      'kubernetes/attributed/untriggered-requests',
      'kubernetes/emitted/message-links',
      'kubernetes/messages/fields',
      'kubernetes/objects/object-info',
      // Who deleted what, and what a message is about, has one answer.
      'kubernetes/lives/deletion-words',
      'kubernetes/lives/object-store',
      // Patterns of expressions.
      'platform/re2',
    ],
  },
  // Which programs could be meant by a name that no participant of a capture has.
  expectation: {
    types: ['kubernetes'],
    all: [
      'diagram',
      'kubernetes/api/object-ref',
      'kubernetes/attributed/programs/known-programs',
      'kubernetes/emitted/message-links',
      'kubernetes/objects/object-info',
      'markdown/fences',
    ],
  },
  diff: {
    types: ['kubernetes'],
    all: [
      'diagram',
      'expectation/syntax/diagram',
      'expectation/syntax/markup',
      'kubernetes/api/object-ref',
      'object-history/changes',
    ],
  },
  // The story of an object, and when it reached what it is for.
  'critical-path': {
    types: ['kubernetes', 'object-history'],
    all: ['diagram/message-index', 'diagram/verbs', 'kubernetes/api/kinds', 'kubernetes/api/object-ref'],
  },
  // What changed is said in texts that may be shown.
  'object-history': {
    types: ['kubernetes'],
    all: [
      'kubernetes/api/kinds',
      'kubernetes/api/object-ref',
      'kubernetes/emitted/message-links',
      'kubernetes/objects/object-info',
      'kubernetes/lives/object-store',
      'redaction/shown',
    ],
  },
  summary: {
    types: ['capture', 'tcp', 'http', 'kubernetes', 'object-history', 'pipeline'],
    all: [
      'diagram',
      'kubernetes/api/object-ref',
      'kubernetes/emitted/message-links',
      'kubernetes/lives/deletion-words',
      // Names of link types.
      'packet/link',
      'render/time',
      'render/escape/mermaid-escape',
      'render/report/report',
    ],
  },
  top: {
    types: ['kubernetes'],
    all: [
      'kubernetes/api/object-ref',
      'kubernetes/emitted/message-links',
      'kubernetes/objects/object-info',
      'object-history/changes',
    ],
  },
  render: {
    types: ['critical-path', 'diagram', 'kubernetes', 'diff', 'expectation', 'object-history', 'top'],
    all: [
      'diagram/message-index',
      'diagram/model',
      'diagram/layout/phases',
      'diagram/notes/closing-note',
      'expectation/report',
      'expectation/generated',
      'kubernetes/api/object-ref',
      'kubernetes/messages/fields',
      'kubernetes/messages/present-fields',
      'kubernetes/lives/deletion-words',
    ],
  },
  markdown: { types: [], all: [] },
  saved: {
    types: ['kubernetes', 'http', 'tcp', 'capture', 'redaction'],
    all: [
      'redaction/names',
      'redaction/shown',
      'kubernetes/api/labels',
      // A line becomes a draft, then a message.
      'kubernetes/messages/draft',
      'kubernetes/messages/field-values',
      'kubernetes/messages/fields',
      'kubernetes/emitted/shown-message',
      'render',
      'platform/compression',
      'version',
      'kubernetes/participants/components',
      'kubernetes/participants/tiers',
      'kubernetes/emitted/details-context',
      'kubernetes/messages/details-types',
    ],
  },
  // Runs in a browser: sees what a page holds, and nothing of how it was made.
  explorer: {
    types: [],
    all: [
      'kubernetes/api/object-ref',
      'render/html/html-format',
      'render/html/row-parts',
      'render/escape/html-escape',
      'render/escape/json-text',
      'render/escape/mermaid-escape',
      'render/escape/terminal-escape',
    ],
  },
  // The page that opens captures, and its worker.
  opener: { types: [], all: ['index', 'browser'] },
  keys: { types: [], all: [] },
  // What programs import.
  library: { types: [], all: ['index', 'platform/files'] },
  // The same for browsers: `kubeseq/browser`.
  browser: { types: [], all: ['index', 'library'] },
  // What `--version` and `--help` need they import past index.ts, which imports everything.
  cli: { types: [], all: ['index', 'version', 'core/duration', 'core/nearest-name', 'render/escape/terminal-escape'] },
};

/** Folder → other folders of the same stage that it imports, from the stage's folder on; a folder without a row: none. */
export const WITHIN: Readonly<Record<string, readonly string[]>> = {
  cli: ['commands', 'completion', 'doctor', 'files', 'input', 'keys', 'mcp', 'output'],
  'cli/commands': ['.', 'completion', 'doctor', 'files', 'input', 'keys', 'output', 'record', 'view'],
  'cli/completion': ['.'],
  'cli/doctor': ['.', 'keys'],
  'cli/files': ['.'],
  'cli/input': ['.', 'files', 'keys', 'output'],
  'cli/keys': ['.', 'files', 'output'],
  'cli/mcp': ['.', 'commands', 'files', 'input', 'output'],
  'cli/output': ['.', 'files'],
  'cli/record': ['.', 'input', 'keys', 'output'],
  'cli/view': ['output'],
  core: ['bytes', 'collections'],
  'core/collections': ['.'],
  diagram: ['folding', 'layout', 'notes', 'selection'],
  'diagram/folding': ['.', 'layout', 'notes', 'selection'],
  'diagram/spooled': ['.', 'notes', 'selection'],
  'diagram/overview': ['.', 'layout', 'notes', 'selection'],
  'diagram/layout': ['.', 'notes', 'selection'],
  'diagram/notes': ['.', 'layout', 'selection'],
  'diagram/selection': ['.', 'folding', 'layout', 'notes'],
  expectation: ['matching', 'syntax'],
  'expectation/matching': ['syntax'],
  'explorer/dom': ['.'],
  http: ['http1', 'http2', 'websocket'],
  'http/exchange': ['.', 'framing', 'http1', 'spdy', 'websocket'],
  'http/framing': ['exchange'],
  'http/hpack': ['.'],
  'http/http1': ['.', 'framing'],
  'http/http2': ['.', 'hpack'],
  'http/spdy': ['exchange', 'framing'],
  'http/websocket': ['.', 'exchange', 'framing', 'http1', 'spdy'],
  kubernetes: [
    'api',
    'attributed',
    'attributed/webhooks',
    'emitted',
    'messages',
    'objects',
    'observed',
    'observed/grpc',
    'observed/grpc/cri',
    'observed/grpc/etcd',
    'observed/inference',
    'participants',
    'placed/hops',
    'placed/identity',
    'placed/identity/users',
    'placed/mid-session',
    'placed/network',
  ],
  'kubernetes/api': ['messages', 'objects', 'participants'],
  'kubernetes/attributed': [
    'api',
    'attributed/programs',
    'messages',
    'objects',
    'observed/grpc',
    'participants',
    'placed/hops',
  ],
  'kubernetes/attributed/programs': ['api', 'attributed', 'participants'],
  'kubernetes/attributed/webhooks': [
    'api',
    'attributed',
    'messages',
    'objects',
    'observed/inference',
    'participants',
    'placed/identity',
    'placed/identity/users',
  ],
  'kubernetes/emitted': ['api', 'attributed/webhooks', 'messages', 'objects'],
  'kubernetes/lives': ['api', 'emitted', 'messages', 'objects'],
  'kubernetes/messages': ['api', 'objects', 'participants'],
  'kubernetes/objects': ['api'],
  'kubernetes/observed': ['api', 'messages', 'objects'],
  'kubernetes/observed/grpc': ['messages', 'objects', 'observed/grpc/cri', 'participants'],
  'kubernetes/observed/grpc/cri': ['api', 'observed/grpc'],
  'kubernetes/observed/grpc/etcd': ['api', 'objects', 'observed/grpc'],
  'kubernetes/observed/inference': ['api', 'messages', 'objects', 'participants'],
  'kubernetes/participants': ['api', 'messages'],
  'kubernetes/placed/hops': ['api', 'messages', 'observed', 'participants', 'placed/identity'],
  'kubernetes/placed/identity': [
    'api',
    'messages',
    'observed/grpc',
    'observed/grpc/etcd',
    'participants',
    'placed/hops',
    'placed/network',
  ],
  'kubernetes/placed/identity/users': ['api', 'messages', 'objects', 'participants'],
  'kubernetes/placed/mid-session': [
    'api',
    'messages',
    'observed/inference',
    'participants',
    'placed/hops',
    'placed/identity',
    'placed/network',
  ],
  'kubernetes/placed/network': ['api', 'messages', 'objects', 'participants'],
  'opener/dom': ['.'],
  'platform/browser': ['.'],
  protobuf: ['tables'],
  redaction: ['body', 'words'],
  'redaction/body': ['.', 'words'],
  'redaction/templates': ['words'],
  'redaction/words': ['.', 'templates'],
  render: ['messages'],
  'render/check': ['.', 'escape', 'sequence'],
  'render/diff': ['escape'],
  'render/html': ['.', 'escape', 'messages'],
  'render/messages': ['.', 'escape', 'sequence'],
  'render/critical-path': ['.', 'escape', 'report'],
  'render/object': ['.', 'escape', 'sequence'],
  'render/sequence': ['.', 'escape', 'messages'],
  'render/traces': ['.', 'escape'],
  'render/report': ['escape'],
  'render/top': ['.', 'escape', 'report'],
  saved: ['table'],
  'saved/table': ['.'],
  tls: ['mid-session', 'relays'],
  'tls/mid-session': ['.'],
  'tls/relays': ['.'],
  top: ['findings'],
  'top/findings': ['.'],
};

/** Floors of kubernetes/ from the ground up. A file imports from its own floor and from those below; loose files stand above all. */
export const FLOORS: readonly (readonly string[])[] = [
  ['api', 'messages', 'objects', 'participants'],
  ['observed'],
  ['placed'],
  ['attributed'],
  ['emitted'],
  ['lives'],
];

/** Files at one level of a folder, tests not counted: what a reader takes in at a glance. */
export const FILES_PER_FOLDER = 24;

/** A word has one meaning: type names that stand in two files, for which no better name was found. */
export const DOUBLED_TYPE_NAMES = 15;

/** Files on circles of imports; to be none. */
export const CIRCLES: readonly string[] = [];
