// Random names of the shapes that clouds, phones and people give: each with the pieces that nobody may see of it.

/** A random name, and what of it would tell whose it is: words of six letters and more, four digits and more, octets. */
export interface ClusterName {
  readonly name: string;
  readonly pieces: readonly string[];
}

/** Makes another part for each call. @param kind `w`: a word; `n`: digits, as many as said; `h`: hexadecimal ones; `o`: octets. */
type Parts = (kind: 'w' | 'n' | 'h' | 'o', length: number) => string;

/** Of each shape the text, with `part` for what is random. */
const SHAPES = {
  AWS: (part) => [
    `ip-${part('o', 4)}.${part('w', 4)}-${part('w', 7)}-1.compute.internal`,
    `ip-${part('o', 4)}.ec2.internal`,
    `i-${part('h', 17)}.${part('w', 7)}.compute.internal`,
  ],
  GCP: (part) => [`gke-${part('w', 8)}-default-pool-${part('h', 8)}-x7zk`, `${part('w', 7)}-${part('n', 4)}`],
  Azure: (part) => [`aks-nodepool1-${part('n', 8)}-vmss000000`, `aks-${part('w', 8)}-${part('n', 8)}-0`],
  'nip.io': (part) => [
    `app.${part('o', 4).replaceAll('-', '.')}.nip.io`,
    `x-${part('o', 4)}.sslip.io`,
    `${part('o', 4)}.${part('w', 7)}.pod.cluster.local`,
    `2001-db8-${part('h', 4)}--${part('h', 4)}.${part('w', 7)}.pod.cluster.local`,
  ],
  'static Pods': (part) => [
    `kube-proxy-${part('o', 4).replaceAll('-', '.')}`,
    `kube-apiserver-ip-${part('o', 4)}.${part('w', 8)}.internal`,
    `etcd-${part('w', 8)}-${part('n', 7)}`,
  ],
  ARNs: (part) => [
    `arn:aws:iam::${part('n', 12)}:role/${part('w', 8)}`,
    `${part('n', 12)}.dkr.ecr.${part('w', 7)}.amazonaws.com/${part('w', 8)}:1.2.3`,
    `arn:aws:elasticloadbalancing:${part('w', 7)}:${part('n', 12)}:loadbalancer/net/${part('w', 8)}/${part('h', 16)}`,
  ],
  'telephone numbers': (part) => [
    `+49 ${part('n', 3)} ${part('n', 7)}`,
    `0${part('n', 4)}/${part('n', 6)}`,
    `+1-${part('n', 3)}-${part('n', 3)}-${part('n', 4)}`,
    `00${part('n', 11)}`,
  ],
  'hyphenated numbers': (part) => [
    `${part('n', 4)}-${part('n', 4)}`,
    `49-89-${part('n', 7)}`,
    `${part('w', 7)}-${part('n', 4)}-${part('n', 6)}`,
  ],
  'MAC addresses': (part) => [
    part('o', 6).replaceAll('-', ':'),
    part('o', 6),
    `${part('h', 4)}.${part('h', 4)}.${part('h', 4)}`,
  ],
  'e-mail addresses': (part) => [
    `${part('w', 7)}.${part('w', 8)}@${part('w', 9)}.com`,
    `${part('w', 7)}${part('n', 4)}@${part('w', 8)}.example`,
  ],
  'custom headers': (part) => [`X-${part('w', 8)}-Tenant`, `Impersonate-Extra-${part('w', 7)}`, `${part('w', 7)}-Id`],
} satisfies Readonly<Record<string, (part: Parts) => readonly string[]>>;

export type ShapeName = keyof typeof SHAPES;
export const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[];

/** @param number of the name: the same one gives the same name. */
export function clusterName(shape: ShapeName, number: number): ClusterName {
  let state = (number ^ 0x5bd1e995) >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) >>> 0;
    return (state >>> 8) % below;
  };
  const pieces: string[] = [];
  const all = SHAPES[shape]((kind, length) => {
    const of = { w: WORD_LETTERS, n: '0123456789', h: '0123456789abcdef', o: '' }[kind];
    if (kind === 'o') {
      // None above 99 in an octet of a MAC address, which has two digits.
      const octets = Array.from({ length }, () => (length === 6 ? 16 + next(83) : 11 + next(240)));
      return octets.join('-');
    }
    return Array.from({ length }, (_, i) =>
      kind === 'w' && i % 2 === 1
        ? VOWELS[next(VOWELS.length)]
        : of[kind === 'n' && i === 0 ? 1 + next(9) : next(of.length)],
    ).join('');
  });
  const name = all[next(all.length)];
  for (const octets of name.match(/\d{2,3}(?:[-.:]\d{2,3}){3,}/g) ?? [])
    for (const sign of '-.:') pieces.push(octets.split(/[-.:]/).slice(-4).join(sign));
  for (const groups of name.match(/[0-9a-f]{4}(?:--|\.)[0-9a-f]{4}(?![^.])/g) ?? [])
    for (const sign of ['-', '--', '.', ':', '::']) pieces.push(groups.split(/--|\./).join(sign));
  for (const piece of name.split(/[^A-Za-z0-9]+/))
    if (
      /^[A-Za-z]{6,}$|^\d{4,}$|^(?=.*\d)[a-z0-9]{7,}$/.test(piece) &&
      !/^2001-|\.\w{4}\./.test(name) &&
      !PUBLIC.has(piece)
    )
      pieces.push(piece);
  return { name, pieces };
}

const WORD_LETTERS = 'bdfgjklmnprstvz';
const VOWELS = 'aeiou';
/** Words of the shapes themselves. */
const PUBLIC: ReadonlySet<string> = new Set(
  'compute internal default nodepool1 vmss000000 amazonaws elasticloadbalancing loadbalancer cluster apiserver example Tenant Impersonate'.split(
    ' ',
  ),
);
