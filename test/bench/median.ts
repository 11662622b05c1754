/** The upper one of the two in the middle; 0 of no numbers. */
export function medianOf(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0
}
