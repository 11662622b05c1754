// Whether all that is counted, indexed and locked agrees with the records it was made from.
import { command, flag } from '../command.ts'
import { diagnose } from '../doctor/doctor.ts'
import { lineOf } from '../doctor/finding.ts'

const doctor = command({
  name: 'doctor',
  summary: 'Holds every list, index and lock against its records, and says what is wrong',
  more: `  It reads the whole table, so on a deployed stage it costs what the size of the table costs. It may run
  beside the service. It ends with 0 when all is well, was mended, or is queued and will be done by the service, and
  with 1 when something is wrong.`,
  options: { repair: flag('mend what can be mended') },
  run: async ({ repair }, context) => {
    const { findings, ...read } = await diagnose(context, repair)
    const queued = findings.filter(({ isQueued }) => isQueued).length
    const mended = findings.filter(({ isMended }) => isMended).length
    const left = findings.length - queued - mended
    return {
      lines: [
        ...findings.map(lineOf),
        `Read ${read.items} items: ${read.records} records, ${read.lists} lists.`,
        verdictOf(left, mended, repair),
      ],
      json: { ...read, wrong: left + mended, mended, queued, findings },
      failed: left > 0,
    }
  },
})

function verdictOf(left: number, mended: number, repair: boolean): string {
  if (left + mended === 0) return 'Nothing is wrong.'
  if (!repair) return `Wrong: ${left}. To mend what can be mended: doctor --repair`
  return `Mended: ${mended}. Left: ${left}.`
}

export const DOCTOR_COMMANDS = [doctor]
