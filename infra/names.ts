// Names by which others find a deployed stage: its stack, and the output that names its table.
export const stackNameOf = (stage: string): string => `ContentService-${stage}`
export const TABLE_OUTPUT = 'TableName'
