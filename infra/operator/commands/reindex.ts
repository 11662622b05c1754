// The search index, written anew from the posts.
import { command } from '../command.ts'
import { reindex } from '../reindex/reindex.ts'

const reindexCommand = command({
  name: 'reindex',
  summary: 'Writes the search index anew from the posts',
  more: `  It reads the whole table. It may run beside the service: searches go on, what is published meanwhile is found
  once it is done. The index follows every change by itself; this is for when the doctor says that it did not.`,
  run: async (_, context) => {
    const { posts, terms, postings } = await reindex(context)
    return {
      lines: [`Indexed ${posts} posts and pages: ${terms} terms, ${postings} postings.`],
      json: { posts, terms, postings },
    }
  },
})

export const REINDEX_COMMANDS = [reindexCommand]
