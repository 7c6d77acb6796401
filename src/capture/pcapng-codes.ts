// Numbers of pcapng files (draft-ietf-opsawg-pcapng), for who reads them and who writes them.

export const SECTION = 0x0a0d0d0a;
export const INTERFACE = 1;
export const PACKET = 2;
export const SIMPLE_PACKET = 3;
export const NAMES = 4;
export const STATISTICS = 5;
export const ENHANCED_PACKET = 6;
export const JOURNAL = 9;
export const SECRETS = 10;
export const CUSTOM = 0x0bad;
export const CUSTOM_NO_COPY = 0x40000bad;
/** Blocks that are believed where one is searched for. */
export const FAMILIAR: ReadonlySet<number> = new Set([
  INTERFACE,
  PACKET,
  SIMPLE_PACKET,
  NAMES,
  STATISTICS,
  ENHANCED_PACKET,
  JOURNAL,
  SECRETS,
  CUSTOM,
  CUSTOM_NO_COPY,
]);

export const BYTE_ORDER = 0x1a2b3c4d;
/** "TLSK" */
export const TLS_KEY_LOG = 0x544c534b;

export const END_OF_OPTIONS = 0;
export const IF_TSRESOL = 9;
export const IF_TSOFFSET = 14;
export const EPB_DROPCOUNT = 4;
export const ISB_IFDROP = 5;
export const ISB_OSDROP = 7;
/** if_tsresol of an interface that says nothing. */
export const MICROSECONDS = 6;
