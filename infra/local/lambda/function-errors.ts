// The errors of an invocation, with Lambda's names.

/** The function threw, crashed, or returned an answer that Lambda rejects. */
export class FunctionError extends Error {
  override name = 'FunctionError'
  readonly errorType: string

  constructor(errorType: string, message: string) {
    super(message)
    this.errorType = errorType
  }
}

/** The function did not answer within its `Timeout`, and its worker was ended. */
export class TimeoutError extends FunctionError {
  override name = 'TimeoutError'

  constructor(seconds: number) {
    super('Sandbox.Timedout', `Task timed out after ${seconds.toFixed(2)} seconds`)
  }
}

/** The event is larger than Lambda's limit, so the function was not called. */
export class RequestTooLargeError extends Error {
  override name = 'RequestTooLargeError'
}
