// The command that deletes what only former versions read.
import { clearList } from '../../../shared/lists/clear-list.ts'
import { rootAttributes, visibleCount } from '../../../shared/lists/list.ts'
import { retiredLists } from '../../../shared/posts/lists.ts'
import { command } from '../command.ts'

const dropRetired = command({
  name: 'drop-retired',
  summary: 'Delete what only former versions read, when none of them runs any more',
  details: `  These are lists. Until then each change keeps them up to date, which costs it some write
  units, so that the former version can be deployed again. To go back after it, run the former version's doctor --repair.`,
  run: async (_, { target: { table }, progress }) => {
    const dropped: { list: string; entries: number }[] = []
    for (const { name, root } of retiredLists()) {
      const found = await table.find(root, rootAttributes)
      progress.show(`deleting the list ${name}`)
      // The root first: without it, changes write no entries. An interrupted run may have left some.
      if (found) await table.removeMany([root])
      while (await clearList(table, name));
      if (found) dropped.push({ list: name, entries: visibleCount(found, 0) })
    }
    const lines = dropped.map(({ list, entries }) => `Deleted the list ${list} of ${entries} entries.`)
    return { lines: [...lines, 'Nothing is left that only former versions read.'], json: { dropped } }
  },
})

export const RETIREMENT_COMMANDS = [dropRetired]
