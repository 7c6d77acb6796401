# Watch events of the API server in a capture, as tshark decrypts and Python inflates them: fixtures/operator-tls/watches.truth.jsonl.
#
#   python3 gzip-watches.py capture.pcap keys.log [PORT] > watches.truth.jsonl
import json, sys, zlib
from http2_data import fields, frames, pieces

watches, members, rests = {}, {}, {}
port = int(sys.argv[3]) if len(sys.argv) > 3 else 6443

def event(b):
    if b[:1] == b'{':
        e = json.loads(b)
        o = e['object']
        m = o.get('metadata', {})
        return e['type'], o['kind'], m.get('name'), m.get('resourceVersion')
    e = dict(fields(b))
    unknown = dict(fields(dict(fields(e[2]))[1][4:]))
    kind = dict(fields(unknown[1]))[2].decode()
    m = {}
    for number, value in fields(dict(fields(unknown[2]))[1]):
        m.setdefault(number, value)
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

for _, connection, stream, from_client, path, values, _ in frames(*sys.argv[1:3], port):
    key = (connection, stream)
    if from_client:
        if 'watch=true' in path:
            watches[key] = None
    elif key in watches and '200' in values:
        watches[key] = 'gzip' in values

told = []
for packet, connection, stream, data in pieces(*sys.argv[1:3], port):
    key = (connection, stream)
    gzip = watches.get(key)
    if gzip is None:
        continue
    for one in split(key, inflated(key, data) if gzip else data):
        type_, kind, name, version = event(one)
        told.append({'frame': packet, 'connection': connection, 'stream': stream, 'gzip': gzip,
                     'type': type_, 'kind': kind, 'name': name, 'resourceVersion': version})
for one in sorted(told, key=lambda one: one['frame']):
    print(json.dumps(one))
