// Node's compile cache for the threads and processes of a local run. With it they neither compile the modules
// again nor load the compiler of TypeScript, which takes 12 MB in each of them.
import { fileURLToPath } from 'node:url'

export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../.local/compiled', import.meta.url)),
}
