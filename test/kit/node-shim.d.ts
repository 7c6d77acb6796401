declare module 'pcap-parser';
declare module 'jsdom';
