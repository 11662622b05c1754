// Run it before each build: node copy.mjs && next build. Keep the folder .cache between builds.
import { copyInFile } from '../copy-in-file.mjs'

await copyInFile('.cache/posts.json')
