// Writes the words of src/redaction/words/dictionary.txt from what formats.go printed:
//
//   node lab/templates/dictionary.js formats.jsonl...
//
// A word is taken if format strings of two files have it, if a template has it, or if it is a name of the Kubernetes API.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ENGLISH, ERRNO, NEVER, WELL_KNOWN } from './english.js';
import { writeSection } from './sections.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Files of different programs in which a word has to be: in one it may be a value of an example. */
const MIN_FILES = 2;
const WORD = /[a-z]+(?:[-/.'][a-z]+)*/g;

const SAID_ONCE =
  /^kubernetes@[^/]*\/pkg\/(?:kubelet|scheduler|controller|volume|registry)\/|^(?:apiserver|apimachinery)@[^/]*\/pkg\/(?:api|admission|registry|endpoints)\/|^(?:cloud-provider|pod-security-admission|client-go|kube-aggregator|component-helpers)@/;

/** Files whose comments have a word: those that fewer have are names of variables. */
const MIN_COMMENTED = 20;

const commented = new Map();
const filesOf = new Map();
for (const path of process.argv.slice(2)) {
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    const { file, call, format } = JSON.parse(line);
    if (call === 'comment') {
      for (const word of format.split(' ')) commented.set(word, (commented.get(word) ?? 0) + 1);
      continue;
    }
    if (/\/(?:cmd|config|options)\//.test(file) && call === 'field') continue;
    const isName = (call === 'const' || call.endsWith('errors.New')) && /^[A-Za-z]{3,60}$/.test(format);
    if (call === 'const' && !isName && !format.includes(' ')) continue;
    for (const word of wordsOf(format.replace(/%[-+#.\d]*[a-zA-Z]/g, ' '))) {
      if (!filesOf.has(word)) filesOf.set(word, new Set());
      filesOf.get(word).add(file);
      // A reason or a value of an enum stands once.
      if (
        isName &&
        /^(?:api@|apimachinery@|cri-api|kubernetes@[^/]*\/pkg\/kubelet\/(?:events|container|images)|.*kubelet\/pkg)/.test(
          file,
        )
      )
        filesOf.get(word).add('names');
    }
  }
}

const words = new Set([...filesOf].filter(([, files]) => files.size >= MIN_FILES).map(([word]) => word));
// What the parts of Kubernetes that write Events and conditions say once is theirs too; so is a compound of words.
for (const [word, files] of filesOf) {
  const isCompound = /[-/.']/.test(word);
  if (
    isCompound
      ? word.split(/[-/.']/).every((part) => words.has(part))
      : word.length <= 18 && [...files].some((file) => SAID_ONCE.test(file))
  )
    words.add(word);
}
for (const [word, files] of commented) if (files >= MIN_COMMENTED) words.add(word);
for (const word of wordsOf([ENGLISH, ERRNO, WELL_KNOWN].join(' '))) words.add(word);
const templates = readFileSync(`${ROOT}src/redaction/templates/templates.txt`, 'utf8').replace(/^\/\/.*$/gm, '');
for (const line of templates.split('\n')) {
  const literals = line.replace(/\{[a-z|A-Z]+\}/g, ' ');
  // Of the name of a source, neither packages nor files are words.
  const text = line.startsWith('## ') ? literals.replace(/\bpkg\/\S+|\S+\.go\b/g, ' ') : literals;
  for (const word of wordsOf(text)) words.add(word);
}
const table = readFileSync(`${ROOT}src/protobuf/tables/kubernetes.txt`, 'utf8');
for (const [, name] of table.matchAll(/"([A-Za-z]{2,40})":\[/g)) words.add(name.toLowerCase());
const kinds = new Set();
for (const [, name] of table.matchAll(/^"k8s\.io\.[a-z0-9.-]+\.([A-Z][A-Za-z]{2,50})":\{(?:"[a-z]\w*":|\})/gm))
  words.add(name.toLowerCase());
for (const [, gvk] of table.matchAll(/"[a-z0-9.]*\/v\w+\/([A-Z][A-Za-z]+)":"/g)) kinds.add(gvk.toLowerCase());
for (const [, name] of table.matchAll(/"k8s\.io\.api\.[a-z0-9.]+\.([A-Z][A-Za-z]{2,50})":\{"metadata":/g))
  kinds.add(name.toLowerCase());
for (const kind of [...kinds]) words.add(kind).add(pluralOf(kind));
for (const kind of kinds) if (kind.length > 40) kinds.delete(kind);
for (const word of words)
  if (NEVER.has(word) || word.endsWith("'s") || word.length > 60 || (word.length === 1 && !'ais'.includes(word)))
    words.delete(word);

const sorted = [...words].sort();
writeSection('words', sorted.join(' '));
writeSection('kinds', [...kinds].sort().join(' '));
writeSection('words with digits', WELL_KNOWN_WITH_DIGITS());
console.log(`${sorted.length} words, ${kinds.size} kinds`);

function wordsOf(text) {
  const found = new Set();
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    found.add(word);
    // Whole compounds are words, and so are their parts.
    for (const part of word.split(/[-/.']/)) found.add(part);
  }
  return found;
}

function pluralOf(kind) {
  if (kind.endsWith('s')) return `${kind}es`;
  return kind.endsWith('y') && !kind.endsWith('ay') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}

function WELL_KNOWN_WITH_DIGITS() {
  return 'ipv4 ipv6 amd64 arm64 sha256 sha512 x509 http2 h2 h2c base64 utf-8 rfc1123 rfc1035 c8y i18n k8s io1 ext4 nfs4 v4 v6 2xx 3xx 4xx 5xx x86 x86_64 s390x ppc64le cgroupv1 cgroupv2 tcp4 tcp6 udp4 udp6 http/1.1 http/2 http/1.0 http/2.0 tls1.2 tls1.3 http-01 dns-01 tls-alpn-01 oauth2 ed25519 p256 oauth2 crc32 int32 int64 uint32 uint64 float64';
}
