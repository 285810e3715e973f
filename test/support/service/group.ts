import process from 'node:process'

/** Set where several test files run in one process (bin/ci/group.ts): they share services and a browser, closed at its end. */
export const GROUP = 'SVC_TEST_GROUP'

export const isGroup = (): boolean => Boolean(process.env[GROUP])
