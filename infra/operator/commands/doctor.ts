// The command that checks the table, and repairs it with --repair.
import { command, flag } from '../command.ts'
import { lineOf } from '../doctor/compare.ts'
import { diagnose } from '../doctor/doctor.ts'
import { rebuildIndex } from '../doctor/rebuild-index.ts'

export const doctor = command({
  name: 'doctor',
  summary: 'Check every list, index and lock against its records, and report what is wrong',
  details: `  It reads the whole table, so on a deployed stage its cost grows with the table. It may run while the service
  runs. The exit code is 1 if a problem is left, otherwise 0.`,
  options: {
    repair: flag('repair what can be repaired'),
    index: flag('with --repair: rebuild the search index, even if nothing is wrong with it'),
  },
  problemOf: ({ repair, index }) => (index && !repair ? '--index: Pass --repair as well.' : undefined),
  run: async ({ repair, index }, context) => {
    const indexed = index ? await rebuildIndex(context) : null
    const { problems, ...counts } = await diagnose(context, repair)
    const repaired = problems.filter(({ isRepaired }) => isRepaired).length
    const left = problems.length - repaired
    const advice = repair
      ? `Repaired: ${repaired}. Not repaired: ${left}.`
      : `Problems: ${left}. Repair those that can be repaired: doctor --repair`
    return {
      lines: [
        ...(indexed === null ? [] : [`Indexed ${indexed} posts and pages.`]),
        ...problems.map(lineOf),
        `Read ${counts.items} items: ${counts.records} records, ${counts.lists} lists.`,
        problems.length === 0 ? 'Nothing is wrong.' : advice,
      ],
      json: {
        ...counts,
        indexed,
        wrong: problems.length,
        repaired,
        problems: problems.map(({ isRepaired, ...problem }) => ({ ...problem, is_repaired: isRepaired })),
      },
      failed: left > 0,
    }
  },
})
