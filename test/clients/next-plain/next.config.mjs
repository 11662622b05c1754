import { fileURLToPath } from 'node:url'

/** Packages are in the folder above. A project with its own node_modules needs no `root`. */
const turbopack = { root: fileURLToPath(new URL('..', import.meta.url)) }

export default { output: 'export', trailingSlash: true, turbopack }
