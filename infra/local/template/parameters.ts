// Validates the stack's parameters before any resource is created, as CloudFormation does.
import { wholeOf } from '../../../shared/runtime/parameters.ts'
import type { Template } from './template.ts'

/** Throws for a value that CloudFormation would reject. */
export function checkParameters({ constraints }: Template, parameters: Record<string, string>): void {
  for (const [name, value] of Object.entries(parameters)) {
    const constraint = constraints[name]
    if (!constraint) throw new Error(`The template has no parameter ${name}.`)
    const { pattern, description } = constraint
    if (pattern !== undefined && !wholeOf(pattern).test(value)) {
      throw new Error(`The parameter ${name} ${description}, not ${JSON.stringify(value)}.`)
    }
  }
}
