// What both ends of a SPDY/3 connection have before its first header block (draft-mbelshe-httpbis-spdy-00, section
// 2.6.10.1): 1,423 bytes, Adler-32 e3c6a7c2. A fact of the protocol, nothing else.

/** Words, each after its length in four bytes; then loose text. */
const WORDS =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow ' +
  'authorization cache-control connection content-base content-encoding content-language content-length ' +
  'content-location content-md5 content-range content-type date etag expect expires from host if-match ' +
  'if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma ' +
  'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade ' +
  'user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie ' +
  'keep-alive origin';

const LOOSE =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 ' +
  'Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 ' +
  'Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug ' +
  'Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,' +
  'application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdch' +
  'charset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

export const SPDY_DICTIONARY: Uint8Array = Uint8Array.from(
  Buffer.from(
    WORDS.split(' ')
      .map((word) => `\0\0\0${String.fromCharCode(word.length)}${word.replace('_', ' ')}`)
      .join('') + LOOSE,
    'latin1',
  ),
);
