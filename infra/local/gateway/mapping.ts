// API Gateway's expressions in its own answers: 'static', context.x and $context.x.

/** Values of `$context`, by the name after the dot: `requestId`, `error.messageString`. */
export type ContextVariables = Record<string, string>

export type Mapping = (context: ContextVariables) => string

/** Compiles the value of a header mapping: `'text'` in quotes, or `context.name`. */
export function compileMapping(mapping: string): Mapping {
  const text = /^'(.*)'$/s.exec(mapping)?.[1]
  if (text !== undefined) return () => text
  const name = /^context\.(.+)$/.exec(mapping)?.[1]
  if (name !== undefined) return context => context[name] ?? ''
  throw new Error(`The local run supports 'text' and context.name as values of a header, not ${mapping}.`)
}

/** Replaces every `$context.name` by its value. Unknown names become empty, as in API Gateway. */
export function fillTemplate(template: string, context: ContextVariables): string {
  return template.replace(/\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g, (_, name: string) => context[name] ?? '')
}
