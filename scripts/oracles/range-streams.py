# Reads of etcd in pieces, as tshark decrypts them and Python counts: fixtures/range-stream-tls/truth.jsonl.
#
#   python3 range-streams.py capture.pcap keys.log > truth.jsonl
import json, subprocess, sys

capture, keys = sys.argv[1:3]
FIELDS = ['frame.number', 'tcp.stream', 'tcp.srcport', 'tcp.dstport', 'http2.streamid', 'http2.type', 'http2.length',
          'http2.data.data', 'http2.data.segment', 'http2.headers.path']
command = ['tshark', '-r', capture, '-o', f'tls.keylog_file:{keys}', '-d', 'tcp.port==2379,tls', '-Y', 'http2',
           '-T', 'fields', '-E', 'separator=|', '-E', 'occurrence=a', '-E', 'aggregator=,']
for field in FIELDS:
    command += ['-e', field]
paths, rests = {}, {}

def varint(b, at):
    value = shift = 0
    while True:
        value |= (b[at] & 127) << shift
        at += 1
        if b[at - 1] < 128:
            return value, at
        shift += 7

def fields(b):
    at = 0
    while at < len(b):
        key, at = varint(b, at)
        if key & 7 == 0:
            value, at = varint(b, at)
        else:
            size, at = varint(b, at)
            value, at = b[at:at + size], at + size
        yield key >> 3, value

for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines():
    frame, tcp, sport, dport, streams, types, lengths, data, segments, path = line.split('|')
    streams, types, lengths = streams.split(','), types.split(','), lengths.split(',')
    data = [part for part in f'{data},{segments}'.split(',') if part]
    named = path.split(',')
    for i, (stream, kind) in enumerate(zip(streams, types)):
        key = (tcp, stream)
        if kind == '1' and dport == '2379' and named:
            paths[key] = named.pop(0)
        mine = next((part for part in data if len(part) == 2 * int(lengths[i])), None)
        if kind != '0' or mine is None:
            continue
        data.remove(mine)
        rest = rests.pop((key, sport), b'') + bytes.fromhex(mine)
        while len(rest) >= 5 and len(rest) >= 5 + int.from_bytes(rest[1:5], 'big'):
            size = 5 + int.from_bytes(rest[1:5], 'big')
            message, rest = rest[5:size], rest[size:]
            if sport != '2379' or not paths.get(key, '').endswith('/RangeStream'):
                continue
            keys_, revision, count = 0, None, None
            for number, value in fields(dict(fields(message))[1]):
                if number == 2:
                    keys_ += 1
                elif number == 1:
                    revision = dict(fields(value))[3]
                elif number == 4:
                    count = value
            print(json.dumps({'port': int(dport), 'stream': int(stream), 'frame': int(frame), 'keys': keys_, 'revision': revision, 'count': count}))
        rests[(key, sport)] = rest
