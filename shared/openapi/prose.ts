// Texts of the document as Markdown that any tool shows well, whatever their indentation in the source.

/** Joins lines that continue one another, which are indented; blank lines and lists stay. */
function unwrapped(text: string): string {
  return text.replace(/\n *\n */g, '\n\n').replace(/\n +/g, ' ')
}

/** The same value with every description unwrapped. */
export function withProse<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (name, each) =>
    name === 'description' && typeof each === 'string' ? unwrapped(each) : each,
  )
}
