// Combines the inputs that arrive while a call runs into one next call: a busy process makes fewer calls.
import { AsyncLocalStorage } from 'node:async_hooks'

type Waiting<In, Out> = {
  input: In
  /** Runs the call with the deadline of this input. */
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>
  resolve: (output: Out) => void
  reject: (error: unknown) => void
}

/**
 * `call` returns one output for each input, in order. At most one call runs at a time, with at most `most`
 * inputs. It starts after its inputs arrived, so that a read is never older than the input that asks for it.
 */
export function combine<In, Out>(
  call: (inputs: In[]) => Promise<Out[]>,
  most = Number.POSITIVE_INFINITY,
): (input: In) => Promise<Out> {
  const waiting: Waiting<In, Out>[] = []
  let isRunning = false

  const runNext = async (): Promise<void> => {
    const batch = waiting.splice(0, most)
    const inputs = batch.map(({ input }) => input)
    try {
      // The newest input has the latest deadline.
      const outputs = (await batch.at(-1)?.inContext(call, inputs)) ?? []
      if (outputs.length < batch.length) throw new Error('A combined call returned too few outputs.')
      for (const [n, output] of outputs.entries()) batch[n]?.resolve(output)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  const runAll = async (): Promise<void> => {
    isRunning = true
    await Promise.resolve() // inputs of the same turn go together
    while (waiting.length > 0) await runNext()
    isRunning = false
  }

  return input =>
    new Promise((resolve, reject) => {
      waiting.push({ input, inContext: AsyncLocalStorage.snapshot(), resolve, reject })
      if (!isRunning) void runAll()
    })
}
