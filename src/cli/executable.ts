// Starts the command in the single executable, whose code and other parts are assets of it.

import { getAsset, getRawAsset } from 'node:sea';
import { pathToFileURL } from 'node:url';
import { compiledIn } from './compiled.js';
import { setLoadingFlags, setRunningFlags } from './v8-flags.js';

setLoadingFlags();
// Packages that users install are looked for beside the executable, too.
const url = pathToFileURL(process.execPath).href;
const meta = { url, asset: (name: string) => getAsset(name, 'utf8') } as ImportMeta;
const units = compiledIn(Buffer.from(getRawAsset('compiled.bin') as ArrayBuffer), '/kubeseq', meta);
void units.load<typeof import('./main.js')>('main.js').main(process.argv, setRunningFlags);
