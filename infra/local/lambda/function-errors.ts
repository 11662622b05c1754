// What an invocation can end in, named as Lambda names it.

/** The function threw, crashed, or gave an answer that Lambda would not pass on. */
export class FunctionError extends Error {
  override name = 'FunctionError'
  readonly errorType: string

  constructor(errorType: string, message: string) {
    super(message)
    this.errorType = errorType
  }
}

/** The function did not answer within its `Timeout`; its worker is gone. */
export class TimeoutError extends FunctionError {
  override name = 'TimeoutError'

  constructor(seconds: number) {
    super('Sandbox.Timedout', `Task timed out after ${seconds.toFixed(2)} seconds`)
  }
}

/** The event is larger than Lambda accepts; the function never saw it. */
export class RequestTooLargeError extends Error {
  override name = 'RequestTooLargeError'
}
