// The arguments that draw the picture of README.md.

export const PICTURE = [
  ...['fixtures/run-nginx-http1/capture.pcap.gz', '--follow', 'pod/nginx', '--until', '8s'],
  ...['--where', 'verb != "get"'],
];
