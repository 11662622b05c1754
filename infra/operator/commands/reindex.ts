// The command that rebuilds the search index.
import { command } from '../command.ts'
import { reindex } from '../reindex/reindex.ts'

const reindexCommand = command({
  name: 'reindex',
  summary: 'Rebuild the search index from the posts',
  details: `  It reads all posts. It may run while the service runs: searches go on, and posts that change during the
  rebuild are found at once. The index follows every change by itself, so run this only if the doctor reports that it
  does not.`,
  run: async (_, context) => {
    const { posts, terms, postings } = await reindex(context)
    return {
      lines: [`Indexed ${posts} posts and pages: ${terms} terms, ${postings} postings.`],
      json: { posts, terms, postings },
    }
  },
})

export const REINDEX_COMMANDS = [reindexCommand]
