// Removes the line breaks and the indentation of the source from the texts of the document.

/** Joins continued lines, which are indented in the source. Keeps paragraphs and lists. */
function unwrapped(text: string): string {
  return text.replace(/\n *\n */g, '\n\n').replace(/\n +/g, ' ')
}

/** Returns a copy of the value in which every description is unwrapped. */
export function withProse<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (name, member) =>
    name === 'description' && typeof member === 'string' ? unwrapped(member) : member,
  )
}
