// Eleventy's global data: one page for each post. Keep the folder .cache between builds.
import { copyInFile } from '../../copy-in-file.mjs'

export default () => copyInFile('.cache/posts.json')
