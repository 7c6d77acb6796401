import { describe, expect, it } from 'vitest';
import { blocksOf, END_MARK, withContents } from './page.js';
import { PageError } from './settings.js';

const COMMENT = '<!-- kubeseq capture=a.pcap -->';
const FENCE = '```mermaid\nsequenceDiagram\n```\n';

/** What would be replaced in each block. */
function generated(page: string): string[] {
  return blocksOf(page).map(({ start, end }) => page.slice(start, end));
}

function errorOf(page: string): [number, string] {
  try {
    blocksOf(page);
  } catch (error) {
    if (error instanceof PageError) return [error.line, error.message];
    throw error;
  }
  throw new Error('no trouble');
}

describe('what is generated', () => {
  it.each([
    ['the fence right below', `# A\n${COMMENT}\n${FENCE}text\n`, [FENCE]],
    ['the fence behind empty lines', `${COMMENT}\n\n${FENCE}text\n`, [`\n${FENCE}`]],
    ['nothing yet', `${COMMENT}\ntext\n\n${FENCE}`, ['']],
    ['nothing at the end', COMMENT, ['']],
    [
      'everything to the mark',
      `${COMMENT}\n\na\n\n${FENCE}\nb\n${END_MARK}\nc\n`,
      [`\na\n\n${FENCE}\nb\n${END_MARK}\n`],
    ],
    [
      'the mark of the next block is not ours',
      `${COMMENT}\n${FENCE}a\n${COMMENT}\nb\n${END_MARK}\n`,
      [FENCE, `b\n${END_MARK}\n`],
    ],
    ['another language is no diagram', `${COMMENT}\n\`\`\`js\n1\n\`\`\`\n`, ['']],
    ['a longer fence', `${COMMENT}\n\`\`\`\`mermaid\n\`\`\`\n\`\`\`\`\nx`, ['````mermaid\n```\n````\n']],
    ['tildes', `${COMMENT}\n~~~mermaid\n\`\`\`\n~~~\nx`, ['~~~mermaid\n```\n~~~\n']],
    ['comments inside a fence are text', `\`\`\`markdown\n${COMMENT}\n\`\`\`\n`, []],
    [
      'marks inside a fence are text',
      `${COMMENT}\n\`\`\`http\n${END_MARK}\n\`\`\`\n${END_MARK}\n`,
      [`\`\`\`http\n${END_MARK}\n\`\`\`\n${END_MARK}\n`],
    ],
    ['a comment of several lines', `<!-- kubeseq\n  capture=a\n  all -->\n${FENCE}`, [FENCE]],
    ['line breaks of Windows', `${COMMENT}\r\n\`\`\`mermaid\r\n\`\`\`\r\nx`, ['```mermaid\r\n```\r\n']],
    ['other comments', '<!-- kubeseqs -->\n<!-- todo -->\n', []],
  ])('%s', (_, page, expected) => expect(generated(page)).toEqual(expected));
});

describe('new contents', () => {
  it.each([
    ['one fence', `a\n${COMMENT}\nb`, FENCE, `a\n${COMMENT}\n${FENCE}b`],
    ['one fence at the very end', COMMENT, FENCE, `${COMMENT}\n${FENCE}`],
    [
      'more than a fence',
      `${COMMENT}\n${FENCE}b\n`,
      `${FENCE}\nsteps\n`,
      `${COMMENT}\n\n${FENCE}\nsteps\n\n${END_MARK}\nb\n`,
    ],
    ['two fences', `${COMMENT}\nb\n`, `${FENCE}\n${FENCE}`, `${COMMENT}\n\n${FENCE}\n${FENCE}\n${END_MARK}\nb\n`],
    ['a mark stays', `${COMMENT}\nold\n${END_MARK}\nb`, FENCE, `${COMMENT}\n\n${FENCE}\n${END_MARK}\nb`],
    [
      'line breaks of Windows',
      `a\r\n${COMMENT}\r\nb`,
      '```mermaid\n```\n',
      `a\r\n${COMMENT}\r\n\`\`\`mermaid\r\n\`\`\`\r\nb`,
    ],
  ])('%s', (_, page, content, expected) => {
    const fresh = withContents(page, blocksOf(page), [content]);
    expect(fresh).toBe(expected);
    expect(withContents(fresh, blocksOf(fresh), [content]), 'again').toBe(expected);
  });

  it('touches nothing outside', () => {
    const page = `# T\n\ttext \n${COMMENT}\n${FENCE}\n${END_MARK.replace('/', '')}\n<br>\n${COMMENT}\n\n* x\n`;
    const broken = page.replace('<!-- kubeseq -->', '<!-- x -->');
    const [first, second] = blocksOf(broken);
    const fresh = withContents(broken, [first, second], [FENCE, FENCE]);
    expect(fresh.split(FENCE).join('')).toBe(broken.split(FENCE).join(''));
  });
});

describe('settings', () => {
  const settings = (text: string): unknown[] =>
    blocksOf(`<!-- kubeseq ${text} -->\n`)[0].settings.map(({ key, value }) => (value === null ? key : [key, value]));

  it.each([
    ['capture=a.pcap', [['capture', 'a.pcap']]],
    ['capture=a capture=b all', [['capture', 'a'], ['capture', 'b'], 'all']],
    [
      'capture=a where=\'verb == "get"\'',
      [
        ['capture', 'a'],
        ['where', 'verb == "get"'],
      ],
    ],
    [
      'capture="a b" where="x == \'y\'"',
      [
        ['capture', 'a b'],
        ['where', "x == 'y'"],
      ],
    ],
    [
      'capture=a where=status>=400',
      [
        ['capture', 'a'],
        ['where', 'status>=400'],
      ],
    ],
    [
      'capture=a participants participants=names.yaml',
      [['capture', 'a'], 'participants', ['participants', 'names.yaml']],
    ],
    [
      'capture=a steps=1-12',
      [
        ['capture', 'a'],
        ['steps', '1-12'],
      ],
    ],
  ])('%s', (text, expected) => expect(settings(text)).toEqual(expected));

  it.each([
    ["capture=a where='x", 3, /^cannot read where='x/],
    ['capture=a --all', 3, /^cannot read --all/],
  ])('%j is refused', (text, line, message) => {
    const [at, problem] = errorOf(`# T\n\n<!-- kubeseq ${text}\n-->\n`);
    expect(problem).toMatch(message);
    expect(at).toBe(line);
  });
});

describe('pages that cannot be read', () => {
  it.each([
    ['a fence that is not closed', `${COMMENT}\n\`\`\`mermaid\ntext\n`, 2, /not closed/],
    ['one whose end is too short', `${COMMENT}\n\`\`\`\`mermaid\n\`\`\`\n`, 2, /not closed/],
    ['a comment that is not closed', 'a\n<!-- kubeseq capture=a\n', 2, /not closed/],
    ['text behind the comment', `a\n${COMMENT} text\n`, 2, /text behind/],
    ['a mark without a comment', `a\n\n${END_MARK}\n`, 3, /without a comment/],
  ])('%s', (_, page, line, message) => {
    const [at, problem] = errorOf(page);
    expect(problem).toMatch(message);
    expect(at).toBe(line);
  });
});
