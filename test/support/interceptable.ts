// A client whose calls a test watches, delays, refuses or answers itself.
import type { Call, Client, Operations } from '../../shared/aws/client.ts'

/** Runs around each call. `next` makes the call, or runs the step that was added before. */
export type Step = (next: () => Promise<object>, operation: string, input: object) => Promise<object>

export function interceptable<O extends Operations>(client: Client<O>) {
  const steps = new Set<Step>()
  const call: Call<O> = (operation, input, options) => {
    let run: () => Promise<object> = () => client.call(operation, input, options)
    for (const step of steps) {
      const next = run
      run = () => step(next, operation, input)
    }
    return run() as ReturnType<Call<O>>
  }
  /** Returns a function that removes the step. */
  const around = (step: Step) => {
    steps.add(step)
    return () => void steps.delete(step)
  }
  return { ...client, call, around }
}

export type Interceptable<O extends Operations> = ReturnType<typeof interceptable<O>>
