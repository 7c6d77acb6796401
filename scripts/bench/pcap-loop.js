// The bare reading loop of pcap-parser: what it costs to see every packet of a capture and do nothing with it. It knows no
// nanoseconds, so a capture that has them is said to have microseconds: nobody looks at its times.

import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import pcapParser from 'pcap-parser';

let isFirst = true;
const microseconds = new Transform({
  transform(chunk, _, done) {
    if (isFirst && chunk[0] === 0x4d && chunk[1] === 0x3c) chunk.set([0xd4, 0xc3]);
    isFirst = false;
    done(null, chunk);
  },
});
let packets = 0;
const parser = pcapParser.parse(createReadStream(process.argv[2]).pipe(microseconds));
parser.on('packet', () => {
  packets += 1;
});
parser.on('end', () => {
  process.stdout.write(`${packets}\n`);
});
