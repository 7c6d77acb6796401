// The bare reading loop of pcap-parser: what it costs to see every packet of a capture and do nothing with it.
import pcapParser from 'pcap-parser';

let packets = 0;
const parser = pcapParser.parse(process.argv[2]);
parser.on('packet', () => {
  packets += 1;
});
parser.on('end', () => {
  process.stdout.write(`${packets}\n`);
});
