// The command that deletes lists which only former versions read.
import { clearList } from '../../../shared/lists/clear-list.ts'
import { rootAttributes, visibleCount } from '../../../shared/lists/list.ts'
import { retiredLists } from '../../../shared/posts/lists.ts'
import { command } from '../command.ts'

const dropRetiredLists = command({
  name: 'drop-retired-lists',
  summary: 'Delete lists that only former versions read, when none of them runs any more',
  details: `  Until then each change keeps them up to date, which costs it some write units, so that the former version can be
  deployed again. After it, go back with the former version and run its doctor --repair.`,
  run: async (_, { target: { table }, progress }) => {
    const dropped: { list: string; entries: number }[] = []
    for (const { name, root } of retiredLists()) {
      const found = await table.find(root, rootAttributes)
      if (!found) continue
      progress.show(`deleting the list ${name}`)
      // The root first: without it, changes write no entries.
      await table.removeMany([root])
      while (await clearList(table, name));
      dropped.push({ list: name, entries: visibleCount(found, 0) })
    }
    const lines = dropped.map(({ list, entries }) => `Deleted the list ${list} of ${entries} entries.`)
    return { lines: lines.length > 0 ? lines : ['There is none.'], json: { dropped } }
  },
})

export const LIST_COMMANDS = [dropRetiredLists]
