// Random items as the service stores them, and now and then a value that only the SDK knows.
import fc from 'fast-check'

/** Texts with all of Unicode, among them halves of pairs. */
const text = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom('long '.repeat(9_000), 'ähnlich "🚀" \n'.repeat(5_000)) },
)
const name = fc.oneof(
  { weight: 20, arbitrary: fc.string({ minLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'S', 'M') },
)
/** Not `__proto__`: the SDK reads it into a prototype, and two equal ones are not the same object. */
const storedName = name.filter(text => text !== '__proto__')
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
  fc.constant(-0),
)
const bytes = fc.uint8Array({ maxLength: 20 })
const plain = fc.oneof(text, number, fc.boolean(), fc.constant(null), bytes, bytes.map(Buffer.from))

/** Values that are refused by the SDK, or translated in a way of its own. */
const unusual = fc.constantFrom<() => unknown>(
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => 2 ** 60,
  () => 12n,
  () => new Set(['a', 'b']),
  () => new Set([1, 2]),
  () => new Map([['a', 1]]),
  () => new Date(0),
  () => () => 1,
  () => new Float64Array(2),
)

function memberOf(
  value: fc.Arbitrary<unknown>,
  names: fc.Arbitrary<string> = name,
): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .array(fc.tuple(names, value), { maxLength: 5 })
    .map(entries => Object.fromEntries(entries.map(([key, member]) => [key, member])))
}

const { value } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 30, arbitrary: plain },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: unusual.map(make => make()) },
    { weight: 10, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 10, arbitrary: memberOf(tie('value')) },
  ),
}))

export const item: fc.Arbitrary<Record<string, unknown>> = memberOf(value)
export const key: fc.Arbitrary<Record<string, unknown>> = fc.record({ pk: text, sk: text })

/** An item as the table answers it. */
const stored = fc.oneof(
  { weight: 20, arbitrary: text.map(S => ({ S })) },
  { weight: 20, arbitrary: number.map(n => ({ N: String(n) })) },
  { weight: 5, arbitrary: fc.boolean().map(BOOL => ({ BOOL })) },
  { weight: 5, arbitrary: fc.constant({ NULL: true }) },
  { weight: 5, arbitrary: bytes.map(B => ({ B: Buffer.from(B).toString('base64') })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      { SS: ['a'] },
      { NS: ['1', '2'] },
      { BS: ['AAE='] },
      { N: '123456789012345678901234567890' },
      { N: '1e40' },
      { B: 'A' },
    ),
  },
)
const { attribute } = fc.letrec<{ attribute: unknown }>(tie => ({
  attribute: fc.oneof(
    { maxDepth: 3 },
    { weight: 30, arbitrary: stored },
    { weight: 8, arbitrary: fc.array(tie('attribute'), { maxLength: 4 }).map(L => ({ L })) },
    { weight: 8, arbitrary: memberOf(tie('attribute'), storedName).map(M => ({ M })) },
  ),
}))
export const storedItem: fc.Arbitrary<Record<string, unknown>> = memberOf(attribute, storedName)
