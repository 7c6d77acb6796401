# Connections of a capture that failed, as tshark sees them: fixtures/connections-tls/failures.truth.jsonl. Knows flags, alerts and
# ICMP by tshark's fields, and nothing of kubeseq's.
#
#   python3 failed-connections.py capture.pcap keys.log > failures.truth.jsonl
import json, subprocess, sys

capture, keys = sys.argv[1:3]
FIELDS = ['frame.number', 'tcp.stream', 'ip.src', 'tcp.srcport', 'ip.dst', 'tcp.dstport', 'tcp.flags.syn', 'tcp.flags.ack',
          'tcp.flags.reset', 'tcp.len', 'tls.handshake.type', 'tls.alert_message.desc', 'icmp.type', 'icmp.code',
          'http.response.code', 'http2.type', 'http', 'tcp.flags.fin']
TLS = [6443, 2379, 10250, *range(9440, 9451)]
command = ['tshark', '-r', capture, '-o', f'tls.keylog_file:{keys}', '-o', 'tcp.desegment_tcp_streams:TRUE',
           *[x for port in TLS for x in ('-d', f'tcp.port=={port},tls')],
           '-T', 'fields', '-E', 'separator=|', '-E', 'occurrence=a', '-E', 'aggregator=,', *[x for f in FIELDS for x in ('-e', f)]]
ALERTS = {10: 'unexpected_message', 40: 'handshake_failure', 42: 'bad_certificate', 45: 'certificate_expired',
          46: 'certificate_unknown', 48: 'unknown_ca', 50: 'decode_error', 70: 'protocol_version', 80: 'internal_error',
          116: 'certificate_required'}
TRUE = ('1', 'True')
streams, found = {}, []

class Stream:
    def __init__(self, client, server):
        self.client, self.server = client, server
        self.syns, self.heard, self.reset, self.hello = [], False, None, None
        self.bytes, self.served, self.alerted, self.left = {client: 0, server: 0}, False, False, False

    @property
    def name(self):
        return f'{self.client}-{self.server}'

for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
    row = dict(zip(FIELDS, line.split('|')))
    frame = int(row['frame.number'])
    if row['icmp.type']:
        # The second of each is the quoted packet's.
        src, dst = (row[f].split(',')[-1] for f in ('ip.src', 'ip.dst'))
        name = f"{src}:{row['tcp.srcport']}-{dst}:{row['tcp.dstport']}"
        if row['icmp.type'] == '3' and row['tcp.srcport'] and not any(f['connection'] == name for f in found):
            found.append({'connection': name, 'kind': 'tcp.unreachable', 'code': int(row['icmp.code']), 'frame': frame})
        continue
    if not row['tcp.stream']:
        continue
    source, target = f"{row['ip.src']}:{row['tcp.srcport']}", f"{row['ip.dst']}:{row['tcp.dstport']}"
    syn, ack, reset = (row[f] in TRUE for f in ('tcp.flags.syn', 'tcp.flags.ack', 'tcp.flags.reset'))
    stream = streams.get(row['tcp.stream'])
    if stream is None:
        begun = syn and not ack
        stream = streams[row['tcp.stream']] = Stream(source, target)
        stream.whole = begun
    if not stream.whole:
        continue
    by_server = source == stream.server
    if syn and not ack:
        stream.syns.append(frame)
    elif ack and not (reset and by_server and not stream.heard):
        stream.heard = True
    if reset and stream.reset is None:
        stream.reset = frame
    if reset or row['tcp.flags.fin'] in TRUE:
        stream.left = True
    stream.bytes[source] += int(row['tcp.len'] or 0)
    if by_server and (row['http.response.code'] or row['http2.type']):
        stream.served = True
    if not by_server and '1' in row['tls.handshake.type'].split(',') and stream.hello is None:
        stream.hello = frame
    if row['tls.handshake.type'] and by_server:
        stream.answered = True
    for alert in filter(None, row['tls.alert_message.desc'].split(',')):
        if int(alert) not in (0, 90, 100) and not stream.served and not stream.alerted:
            stream.alerted = True
            found.append({'connection': stream.name, 'kind': 'tls.refused', 'by': 'server' if by_server else 'client',
                          'alert': ALERTS[int(alert)], 'frame': frame})

gone = {f['connection'] for f in found if f['kind'] == 'tcp.unreachable'}
for stream in streams.values():
    if not stream.whole:
        continue
    if sum(stream.bytes.values()) == 0 and stream.reset is not None:
        found.append({'connection': stream.name, 'kind': 'tcp.refused', 'frame': stream.reset})
    elif not stream.heard and len(stream.syns) > 1 and stream.name not in gone:
        found.append({'connection': stream.name, 'kind': 'tcp.unanswered', 'syns': len(stream.syns), 'frame': stream.syns[0]})
    elif stream.hello and stream.left and not stream.alerted and not getattr(stream, 'answered', False):
        found.append({'connection': stream.name, 'kind': 'tls.unfinished', 'bytes': stream.bytes[stream.server], 'frame': stream.hello})
for one in sorted(found, key=lambda one: (one['frame'], one['connection'])):
    print(json.dumps(one))
