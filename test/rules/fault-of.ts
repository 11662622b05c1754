// What a schema says of a value that it refuses.
export function faultOf(result: { success: boolean; error?: { issues: { message: string }[] } }) {
  return result.error?.issues.map(({ message }) => message)
}
