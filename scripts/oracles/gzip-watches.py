# Watch events of the API server in a capture, as tshark decrypts and Python inflates them: fixtures/operator-tls/watches.truth.jsonl.
#
#   python3 gzip-watches.py capture.pcap keys.log > watches.truth.jsonl
import json, subprocess, sys, zlib

capture, keys = sys.argv[1:3]
# A body that goes on is made of segments for tshark.
FIELDS = ['frame.number', 'tcp.stream', 'ip.src', 'tcp.srcport', 'ip.dst', 'tcp.dstport', 'http2.streamid', 'http2.type',
          'http2.length', 'http2.data.data', 'http2.data.segment', 'http2.headers.path', 'http2.header.value']
command = ['tshark', '-r', capture, '-o', f'tls.keylog_file:{keys}', '-d', 'tcp.port==6443,tls',
           '-Y', 'http2', '-T', 'fields', '-E', 'separator=|', '-E', 'occurrence=a', '-E', 'aggregator=,']
for field in FIELDS:
    command += ['-e', field]
watches, bodies, members, rests = {}, {}, {}, {}

def varint(b, at):
    value = shift = 0
    while True:
        value |= (b[at] & 127) << shift
        at += 1
        if b[at - 1] < 128:
            return value, at
        shift += 7

def fields(b):
    out, at = {}, 0
    while at < len(b):
        key, at = varint(b, at)
        if key & 7 == 0:
            value, at = varint(b, at)
        elif key & 7 == 2:
            size, at = varint(b, at)
            value, at = b[at:at + size], at + size
        else:
            value, at = b[at:at + (8 if key & 7 == 1 else 4)], at + (8 if key & 7 == 1 else 4)
        out.setdefault(key >> 3, value)
    return out

def event(b):
    if b[:1] == b'{':
        e = json.loads(b)
        o = e['object']
        m = o.get('metadata', {})
        return e['type'], o['kind'], m.get('name'), m.get('resourceVersion')
    e = fields(b)
    unknown = fields(fields(e[2])[1][4:])
    kind = fields(unknown[1])[2].decode()
    m = fields(fields(unknown[2])[1])
    return e[1].decode(), kind, m.get(1, b'').decode() or None, m.get(6, b'').decode() or None

def inflated(key, b):
    """Members one behind the other, each in as many frames as it takes."""
    out = b''
    while b:
        member = members.setdefault(key, zlib.decompressobj(31))
        out += member.decompress(b)
        b = member.unused_data
        if member.eof:
            del members[key]
    return out

def split(key, text):
    """Whole events; what is left of one waits for the next frame."""
    text = rests.pop(key, b'') + text
    while text:
        if text[:1] == b'{':
            line, end, rest = text.partition(b'\n')
            if not end:
                break
            yield line
            text = rest
        else:
            size = 4 + int.from_bytes(text[:4], 'big')
            if len(text) < size:
                break
            yield text[4:size]
            text = text[size:]
    rests[key] = text

for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines():
    frame, tcp, src, sport, dst, dport, streams, types, lengths, data, segments, paths, values = line.split('|', 12)
    streams, types, lengths = streams.split(','), types.split(','), lengths.split(',')
    data = [part for part in f'{data},{segments}'.split(',') if part]
    for i, (stream, kind) in enumerate(zip(streams, types)):
        key = (tcp, stream)
        if kind == '1' and dport == '6443' and 'watch=true' in paths:
            watches[key] = f'{src}:{sport}-{dst}:{dport}'
        if kind == '1' and sport == '6443' and key in watches and '200' in values.split(','):
            bodies[key] = 'gzip' in values.split(',')
        mine = next((part for part in data if len(part) == 2 * int(lengths[i])), None)
        if kind == '0' and mine is not None:
            data.remove(mine)
            bytes_ = bytes.fromhex(mine)
            if sport != '6443' or key not in watches or key not in bodies:
                continue
            text = inflated(key, bytes_) if bodies[key] else bytes_
            for one in split(key, text):
                type_, kind_, name, version = event(one)
                print(json.dumps({'frame': int(frame), 'connection': watches[key], 'stream': int(stream), 'gzip': bodies[key],
                                  'type': type_, 'kind': kind_, 'name': name, 'resourceVersion': version}))
