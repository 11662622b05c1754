// Errors of the operator's commands: their messages are printed without a stack.

/** The message says what is wrong and what to do. */
export class OperatorError extends Error {}
/** A mistake in the command line, found before anything is opened or changed. */
export class UsageError extends OperatorError {}
