# Reads of etcd in pieces, as tshark decrypts them and Python counts: fixtures/range-stream-tls/truth.jsonl.
#
#   python3 range-streams.py capture.pcap keys.log > truth.jsonl
import json, sys
from http2_data import fields, frames

paths, rests = {}, {}

for frame, connection, stream, from_client, path, _, data in frames(*sys.argv[1:3], 2379):
    key = (connection, stream)
    if path:
        paths[key] = path
    if from_client or data is None or not paths.get(key, '').endswith('/RangeStream'):
        continue
    rest = rests.pop(key, b'') + data
    while len(rest) >= 5 and len(rest) >= 5 + int.from_bytes(rest[1:5], 'big'):
        size = 5 + int.from_bytes(rest[1:5], 'big')
        message, rest = rest[5:size], rest[size:]
        keys, revision, count = 0, None, None
        for number, value in fields(dict(fields(message))[1]):
            if number == 2:
                keys += 1
            elif number == 1:
                revision = dict(fields(value))[3]
            elif number == 4:
                count = value
        port = int(connection.split('-')[0].rsplit(':', 1)[1])
        print(json.dumps({'port': port, 'stream': stream, 'frame': frame, 'keys': keys, 'revision': revision, 'count': count}))
    rests[key] = rest
