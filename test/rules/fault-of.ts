// What a schema says of a value that it refuses.
export const faultOf = (result: { success: boolean; error?: { issues: { message: string }[] } }) =>
  result.error?.issues.map(({ message }) => message)
