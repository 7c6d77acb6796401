// Makes rows of templates of what formats.go printed, for the folders of one component, and prints them to be reviewed:
//
//   node scripts/templates/rows.js formats.jsonl PATTERN > rows.txt
//
// The type of a hole follows from the expression that Go puts there: `pod.Name` is a name, `err` is another text. A row is
// made only if a hole of it has a type: for all others the dictionary does the same.
import { readFileSync } from 'node:fs';

const [path, pattern] = process.argv.slice(2);
const files = new RegExp(pattern);
const TYPES = [
  [/\berr\b|[eE]rr(?:or)?s?(?:$|[.[(])|Error\(\)|[mM]essage|[rR]eason|output|stderr/, 'text'],
  [/[tT]oken|[sS]ecretData|[pP]assword|[vV]alue|[cC]ommand|[aA]rgs|[eE]xpr|[dD]ata\b|[cC]ontent/, 'text'],
  [/UID|uid\b/, 'uid'],
  [/format\.Pod\(|GetPodFullName|podFullName/, 'pod'],
  [/[iI]mageID|ImageRef/, 'image'],
  [/[cC]ontainerID|[sS]andboxID|podSandboxID/, 'id'],
  [/[iI]mage(?:Name|Spec)?$|[iI]mage$/, 'image'],
  [/[uU]ser(?:name|Name)?$|GetName\(\)$.*user/, 'user'],
  [/[dD]uration|[tT]imeout|[pP]eriod|[iI]nterval|[lL]atency/, 'duration'],
  [/[qQ]uantity|\.Cpu\(\)|\.Memory\(\)/, 'quantity'],
  [/[nN]ode(?:Name)?$|nodeRef|NodeName\(?\)?$/, 'node'],
  [/KObj\(|KRef\(|[pP]odKey|[kK]ey$|NamespacedName/, 'name'],
  [
    /[vV]olumeName|[vV]olName|VolumeSpecName|[pP]lugin(?:Name)?(?:\(\))?$|[dD]river(?:Name)?(?:\(\))?$|[dD]evice(?:Name)?$|[fF]inalizer/,
    'plugin',
  ],
  [
    /\bkind$|Kind(?:\(\))?$|[gG]roup[rR]esource|[gG]VK|gvk|[gG]VR|gvr|[rR]esource(?:Name)?$|qualifiedResource/,
    'resource',
  ],
  [/[pP]ath(?:\(\))?$|[dD]ir(?:\(\))?$|[mM]ountPoint|[tT]arget$/, 'file'],
  [/(?:[nN]ame|[nN]amespace|\bns|ClaimName|\.GetName\(\)|\.GetNamespace\(\)|\.Name\(\))$/, 'name'],
  [/\bIP$|\bip$|[aA]ddress$|[hH]ostIP|CIDR$|cidr$/, 'address'],
  [/^len\(|[cC]ount$|[rR]eplicas$|[nN]umber$|[pP]ort$/, 'count'],
];
/** Rows that say too little of who writes them, or whose hole is not what its variable is called. */
const REVIEWED_OUT =
  /\bkeys?:? ["'{]|key ["']?\{|[Tt]oken|denied|[Pp]assword|\bvalue|could not find \{|unknown \{|invalid \{|header|directory \{name\}|path \{name\}|expression|option|argument|parameter|command|audience|credential|string/;
const seen = new Set();
for (const line of readFileSync(path, 'utf8').split('\n')) {
  if (line === '') continue;
  const row = JSON.parse(line);
  if (!files.test(row.file) || /klog|[lL]ogger|\blog\.|HandleError|Fprintf|HandleCrash/.test(row.call)) continue;
  const template = templateOf(row);
  if (template === null || seen.has(template)) continue;
  seen.add(template);
  console.log(
    `${row.file.replace(/@[^/]*/, '').replace(/^kubernetes\//, '')}\t${template}\t${row.args.join(' | ').replace(/\s+/g, ' ').slice(0, 80)}`,
  );
}

function templateOf({ format, args }) {
  if (/[{}]/.test(format) || /%[-+#.\d]*[^-+#.\dsvqdwt%]/.test(format)) return null;
  let at = 0;
  let isTyped = false;
  const holes = [];
  let template = format.replace(/%[-+#.\d]*([svqdwt%])/g, (_, verb) => {
    if (verb === '%') return '%';
    const arg = args[at++];
    if (arg === undefined) return '{text}';
    const type =
      verb === 'd'
        ? 'count'
        : verb === 't'
          ? 'bool'
          : verb === 'w'
            ? 'text'
            : (TYPES.find(([shape]) => shape.test(arg))?.[1] ?? 'text');
    if (!['text', 'count', 'bool'].includes(type)) isTyped = true;
    holes.push(type);
    return verb === 'q' ? `"{${type}}"` : `{${type}}`;
  });
  template = template
    .replaceAll('{name}/{name}', '{name}')
    .replace(/[\s:]+$/, '')
    .replace(/^\{resource\}/, '{kind}');
  if (!isTyped || /\}\{/.test(template) || /\n/.test(template)) return null;
  const literal = template.replace(/\{\w+\}/g, ' ');
  const words = literal.match(/[A-Za-z']{2,}/g) ?? [];
  // What fewer words introduce may be anything that some other program says.
  if (words.length < 3 || words.join('').length < 14) return null;
  if (/^\W*\{(?!kind|count)/.test(template) || REVIEWED_OUT.test(template)) return null;
  return template;
}
