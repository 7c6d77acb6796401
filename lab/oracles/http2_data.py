# DATA frames of HTTP/2 as tshark decrypts them, and protobuf's fields: for gzip-watches.py and range-streams.py.
import base64, subprocess

FIELDS = ['frame.number', 'tcp.stream', 'ip.src', 'tcp.srcport', 'ip.dst', 'tcp.dstport', 'http2.streamid', 'http2.type',
          'http2.length', 'http2.headers.path', 'http2.header.value', 'http2.data.data', 'http2.data.segment']

def frames(capture, keys, port):
    """Of each frame of HTTP/2 with a server on this port: (frame number, connection `client-server`, stream, does the client send
    it, path, values of header fields, data). Paths and values are those of the packet; None: the frame has no data."""
    for line in listed(capture, keys, port, 'http2', FIELDS):
        frame, tcp, src, sport, dst, dport, streams, types, lengths, paths, rest = line.split('|', 10)
        values, data, segments = rest.rsplit('|', 2)
        from_client = dport == str(port)
        connection = f'{src}:{sport}-{dst}:{dport}' if from_client else f'{dst}:{dport}-{src}:{sport}'
        paths = paths.split(',')
        # A body that goes on is made of segments for tshark.
        data = [part for part in f'{data},{segments}'.split(',') if part]
        for stream, type_, length in zip(streams.split(','), types.split(','), lengths.split(',')):
            if type_ == '':
                continue  # only the connection preface
            path = paths.pop(0) if type_ == '1' and from_client and paths else ''
            mine = next((part for part in data if type_ == '0' and len(part) == 2 * int(length)), None)
            if mine is not None:
                data.remove(mine)
            yield (int(frame), connection, int(stream), from_client, path,
                   values.split(',') if type_ == '1' else [], None if mine is None else bytes.fromhex(mine))

def pieces(capture, keys, port):
    """Of what servers on this port send in DATA frames, as it comes out of TLS: (packet number, connection `client-server`, stream,
    data). A frame of HTTP/2 that goes on in the next record is two pieces here; for `frames` it is one, of the last packet."""
    names = {}
    for line in listed(capture, keys, port, f'http2 && tcp.dstport=={port}', FIELDS[1:6]):
        tcp, src, sport, dst, dport = line.split('|')
        names.setdefault(tcp, f'{src}:{sport}-{dst}:{dport}')
    for tcp, connection in names.items():
        text = tshark(capture, keys, port, '-q', '-z', f'follow,tls,yaml,{tcp}')
        rest, left, stream = b'', 0, None
        for packet, peer, data in packets(text):
            if peer != '0':
                continue
            rest += data
            while rest:
                if left > 0:
                    part, rest = rest[:left], rest[left:]
                    left -= len(part)
                    if stream is not None:
                        yield packet, connection, stream, part
                elif len(rest) < 9:
                    break
                else:
                    left = int.from_bytes(rest[:3], 'big')
                    stream = int.from_bytes(rest[5:9], 'big') if rest[3] == 0 else None
                    rest = rest[9:]

def packets(text):
    """(number, peer, data) of each packet of `follow,tls,yaml`; peer 0 is the server."""
    for one in text.split('  - packet: ')[1:]:
        number, peer, _, _, *data = one.splitlines()
        lines = [line.strip() for line in data if line.startswith('      ')]
        yield int(number), peer.split()[-1], base64.b64decode(''.join(lines))

def listed(capture, keys, port, wanted, names):
    """A line of fields for each packet."""
    options = ['-Y', wanted, '-T', 'fields', '-E', 'separator=|', '-E', 'occurrence=a', '-E', 'aggregator=,']
    for name in names:
        options += ['-e', name]
    return tshark(capture, keys, port, *options).splitlines()

def tshark(capture, keys, port, *options):
    command = ['tshark', '-r', capture, '-o', f'tls.keylog_file:{keys}', '-d', f'tcp.port=={port},tls', *options]
    return subprocess.run(command, capture_output=True, text=True).stdout

def varint(b, at):
    value = shift = 0
    while True:
        value |= (b[at] & 127) << shift
        at += 1
        if b[at - 1] < 128:
            return value, at
        shift += 7

def fields(b):
    """(number, value) of a message, one by one."""
    at = 0
    while at < len(b):
        key, at = varint(b, at)
        if key & 7 == 0:
            value, at = varint(b, at)
        else:
            size, at = varint(b, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value, at = b[at:at + size], at + size
        yield key >> 3, value
