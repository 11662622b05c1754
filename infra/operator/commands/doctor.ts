// The command that checks the table, and repairs it with --repair.
import { command, flag } from '../command.ts'
import { diagnose } from '../doctor/doctor.ts'
import { lineOf } from '../doctor/problem.ts'

const doctor = command({
  name: 'doctor',
  summary: 'Check every list, index and lock against its records, and report what is wrong',
  details: `  It reads the whole table, so on a deployed stage its cost grows with the table. It may run while the service
  runs. The exit code is 0 if nothing is wrong, if everything was repaired, and if the service still has the work in
  a queue; it is 1 if something is wrong.`,
  options: { repair: flag('repair what can be repaired') },
  run: async ({ repair }, context) => {
    const { problems, ...read } = await diagnose(context, repair)
    const queued = problems.filter(({ isQueued }) => isQueued).length
    const repaired = problems.filter(({ isRepaired }) => isRepaired).length
    const left = problems.length - queued - repaired
    return {
      lines: [
        ...problems.map(lineOf),
        `Read ${read.items} items: ${read.records} records, ${read.lists} lists.`,
        conclusion(left, repaired, repair),
      ],
      json: {
        ...read,
        wrong: left + repaired,
        repaired,
        queued,
        problems: problems.map(({ isRepaired, isQueued = false, ...problem }) => ({
          ...problem,
          is_repaired: isRepaired,
          is_queued: isQueued,
        })),
      },
      failed: left > 0,
    }
  },
})

function conclusion(left: number, repaired: number, repair: boolean): string {
  if (left + repaired === 0) return 'Nothing is wrong.'
  if (!repair) return `Wrong: ${left}. Repair what can be repaired: doctor --repair`
  return `Repaired: ${repaired}. Left: ${left}.`
}

export const DOCTOR_COMMANDS = [doctor]
