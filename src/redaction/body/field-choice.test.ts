import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldLines, NO_FIELDS, parseFieldChoice } from './field-choice.js';

const DATABASE = { kind: 'Database', resource: 'databases' };
const shows = (texts: string[], path: string, owner = DATABASE): boolean =>
  parseFieldChoice(texts).choice.shows(owner, path.split('.'));

describe('fields that a user names', () => {
  it.each(['databases.spec.engine', 'database.spec.engine', 'Database.spec.engine', '.databases.spec.engine'])(
    '%s: by resource or kind',
    (text) => {
      expect(shows([text], 'spec.engine')).toBe(true);
      expect(shows([text], 'spec.engines')).toBe(false);
      expect(shows([text], 'spec')).toBe(false);
      expect(shows([text], 'spec.engine.name')).toBe(false);
      expect(shows([text], 'spec.engine', { kind: 'Cache', resource: 'caches' })).toBe(false);
    },
  );

  it('by a kind alone, where the request is not known', () => {
    const { choice } = parseFieldChoice(['policies.spec.mode']);
    expect(choice.shows({ kind: 'Policy' }, ['spec', 'mode'])).toBe(true);
    expect(choice.shows({}, ['spec', 'mode'])).toBe(false);
  });

  it('pass over lists', () => {
    for (const text of ['databases.spec.hosts[].name', 'databases.spec.hosts[0].name', 'databases.spec.hosts[*].name'])
      expect(shows([text], 'spec.hosts.name')).toBe(true);
  });

  it('may have a member that is any', () => {
    expect(shows(['databases.spec.*'], 'spec.engine')).toBe(true);
    expect(shows(['databases.spec.*.name'], 'spec.a.name')).toBe(true);
    expect(shows(['databases.spec.*'], 'spec.a.b')).toBe(false);
  });

  it('may have names with dots', () => {
    const path = ['metadata', 'annotations', 'example.com/owner'];
    for (const text of [
      "databases.metadata.annotations['example.com/owner']",
      'databases.metadata.annotations["example.com/owner"]',
    ])
      expect(parseFieldChoice([text]).choice.shows(DATABASE, path)).toBe(true);
  });

  it.each([
    ['databases', 'it has to name a resource or kind and a field in it'],
    ['', "it cannot be read at '.'"],
    ['databases..engine', "it cannot be read at '..engine'"],
    ['databases.spec[', "it cannot be read at '['"],
    ['databases.spec engine', "it cannot be read at ' engine'"],
    ['*.spec.engine', 'its resource or kind cannot be *'],
    [`a.${'b'.repeat(1024)}`, 'it is longer than 1024 characters'],
  ])('%.40j is wrong: %s', (text, problem) => {
    const { choice, errors } = parseFieldChoice([text, 'databases.spec.engine']);
    expect(errors).toEqual([{ text, problem }]);
    expect(choice.shows(DATABASE, ['spec', 'engine'])).toBe(true);
  });

  it('are none where none is named', () => {
    expect(parseFieldChoice([]).choice).toBe(NO_FIELDS);
    expect(NO_FIELDS.shows(DATABASE, ['spec', 'engine'])).toBe(false);
  });

  it('stand in lines of a file, with comments', () => {
    expect(fieldLines('\ufeff# databases\r\n\n  databases.spec.engine # which\ncaches.spec.a#b\n')).toEqual([
      'databases.spec.engine',
      'caches.spec.a#b',
    ]);
  });

  it('never throw', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', '.', '*', '[', ']', '0', "'", '"', ' ', '#') })),
        (texts) => {
          const { errors } = parseFieldChoice(texts);
          expect(errors.length).toBeLessThanOrEqual(texts.length);
        },
      ),
    );
  });
});
