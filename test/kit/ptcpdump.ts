// Makes of a capture what ptcpdump would have written: pcapng with an interface's name, the direction of each packet and comments on the
// process at the captured host's end (internal/writer/pcapng.go: one comment each on process, container and Pod).

import { concat } from '../../src/core/bytes/bytes.js';
import { captureReader } from '../../src/index.js';
import { packetDecoder } from '../../src/packet/packet-decoder.js';
import { bytesOf, type Packet, pcapngBlocks } from './packetiser.js';

export interface NotedProcess {
  readonly pid: number;
  readonly command: string;
  readonly args?: string;
  readonly pod?: { readonly namespace: string; readonly name: string; readonly uid: string };
}

export interface NotedCapture {
  /** Name of the interface. */
  readonly card: string;
  /** Address of the host: what it sends is outbound. */
  readonly host: string;
  /** The process at an end of the host; undefined: ptcpdump found none. */
  processAt(port: number): NotedProcess | undefined;
  readonly bigEndian?: boolean;
  /** Packets without a direction. */
  readonly noDirection?: boolean;
}

/** @param capture a pcap or pcapng file of one interface. */
export function notedByPtcpdump(capture: Uint8Array, noted: NotedCapture): Uint8Array {
  const b = pcapngBlocks(noted.bigEndian ?? false);
  const decoder = packetDecoder();
  const reader = captureReader({ capture: 0 });
  const blocks: Uint8Array[] = [];
  let linkType = 1;
  for (const item of [...reader.feed(capture), ...reader.end()]) {
    if (item.kind !== 'frame') continue;
    linkType = item.linkType;
    const packet: Packet = { time: item.origin.time, bytes: item.data.slice(), originalLength: item.originalLength };
    const flow = decoder.read(item)?.flow;
    const end =
      flow?.source.address === noted.host
        ? flow.source
        : flow?.destination.address === noted.host
          ? flow.destination
          : undefined;
    const process = end === undefined ? undefined : noted.processAt(end.port);
    const direction = end === flow?.source ? 2 : 1;
    const flags = b.option(2, b.u32(noted.noDirection === true ? 0 : direction));
    blocks.push(
      b.enhanced(
        packet,
        0,
        1n,
        ...commentsOf(process).map((text) => b.option(1, bytesOf(text))),
        flags,
        b.option(0, bytesOf('')),
      ),
    );
  }
  return concat([
    b.section(),
    b.interface(linkType, 0, b.option(2, bytesOf(noted.card)), b.option(9, new Uint8Array([9]))),
    ...blocks,
  ]);
}

/** As ptcpdump formats them. */
export function commentsOf(process: NotedProcess | undefined): readonly string[] {
  if (process === undefined) return [];
  const { pid, command, args = command, pod } = process;
  const comments = [
    `PID: ${pid}\nCmd: ${command}\nArgs: ${args}`,
    `ParentPID: 1\nParentCmd: /sbin/init\nParentArgs: /sbin/init`,
  ];
  if (pod === undefined) return comments;
  return [
    ...comments,
    `ContainerName: main\nContainerId: 0123456789ab\nContainerImage: registry.example/main:1\nContainerLabels: {}`,
    `PodName: ${pod.name}\nPodNamespace: ${pod.namespace}\nPodUID: ${pod.uid}\nPodLabels: {"app":"x"}\nPodAnnotations: {}`,
  ];
}
