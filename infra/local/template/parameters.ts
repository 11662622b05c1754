// The parameters of a stack are checked before anything is made, as CloudFormation does.
import { wholeOf } from '../../../shared/runtime/parameters.ts'
import type { Template } from './template.ts'

/** Throws for a value that CloudFormation would refuse. */
export function checkParameters({ constraints }: Template, given: Record<string, string>): void {
  for (const [name, value] of Object.entries(given)) {
    const constraint = constraints[name]
    if (!constraint) throw new Error(`The template has no parameter ${name}.`)
    const { pattern, description } = constraint
    if (pattern !== undefined && !wholeOf(pattern).test(value)) {
      throw new Error(`The parameter ${name} ${description}, not ${JSON.stringify(value)}.`)
    }
  }
}
