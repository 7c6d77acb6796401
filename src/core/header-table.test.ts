import { describe, expect, it } from 'vitest';
import { headerTableLine, type ObservedHeaderTable, parseHeaderTable } from './header-table.js';

const TABLE: ObservedHeaderTable = {
  local: { address: '192.0.2.10', port: 6443 },
  remote: { address: '2001:db8::11', port: 46130 },
  length: 41,
  start: '82d8d7',
  inserted: 226,
  time: 1_795_524_724_358_220_165n,
  entries: [
    { number: 225, name: ':path', value: '/api/v1/pods?watch=true' },
    { number: 226, name: 'x-odd', value: 'comma, colon: \u00ff' },
  ],
};

describe('the line of a header table', () => {
  it('is a comment that holds the block and the entries', () => {
    const line = headerTableLine(TABLE);
    expect(line).toBe(
      '# kubeseq header-table local=192.0.2.10:6443 remote=[2001:db8::11]:46130 block=41:82d8d7 inserted=226 ' +
        'time=1795524724.358220165 entries=225:OnBhdGg=:L2FwaS92MS9wb2RzP3dhdGNoPXRydWU=,226:eC1vZGQ=:Y29tbWEsIGNvbG9uOiD/',
    );
    expect(parseHeaderTable(line)).toEqual(TABLE);
  });

  it('may have no new entries', () => {
    const line = headerTableLine({ ...TABLE, entries: [] });
    expect(parseHeaderTable(line)).toEqual({ ...TABLE, entries: [] });
  });

  it('ignores other lines and reports malformed ones', () => {
    expect(parseHeaderTable('# kubeseq open-connection side=client')).toBeNull();
    const line = headerTableLine(TABLE);
    for (const damaged of [
      line.replace('local=', 'loca='),
      line.replace('6443', '99999'),
      line.replace('82d8d7', '82d8d'),
      line.replace('entries=225', 'entries=x'),
      line.slice(0, -30).replace(/=*$/, ',:'),
    ])
      expect(parseHeaderTable(damaged), damaged).toBeUndefined();
  });
});
