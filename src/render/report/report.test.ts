import { expect, it } from 'vitest';
import { type ReportSection, reportMarkdown, reportText } from './report.js';

const REPORT: readonly ReportSection[] = [
  { lines: ['all of it', '  in part'] },
  { title: 'nothing', lines: [] },
  {
    title: 'requests',
    table: {
      left: [0],
      rows: [
        ['', 'sent'],
        ['kubelet', '10'],
        ['a|b', '7'],
      ],
    },
    notes: ['  3 more'],
  },
];

it('is text with aligned columns, without sections that have nothing', () => {
  expect(reportText(REPORT)).toBe(
    'all of it\n  in part\n\nrequests\n           sent\n  kubelet    10\n  a|b         7\n  3 more\n',
  );
});

it('is Markdown with tables, in which no cell ends early', () => {
  expect(reportMarkdown(REPORT)).toBe(
    '* all of it\n* in part\n\n### requests\n\n|  | sent |\n| --- | ---: |\n| kubelet | 10 |\n| a&#124;b | 7 |\n\n* 3 more\n',
  );
});

it('shows nothing that a terminal or a page would obey', () => {
  const evil: ReportSection[] = [{ lines: ['\u001b[2J<script>'], table: { left: [0], rows: [['a'], ['\u202e`x`']] } }];
  expect(reportText(evil)).not.toMatch(/[\u001b\u202e]/u);
  expect(reportMarkdown(evil)).not.toMatch(/[\u001b\u202e<`]/u);
});
