import { browserTasks } from './browser.ts'
import { SeededRandom } from './random.ts'
import { reasoningTasks } from './reasoning.ts'
import { reliabilityTasks } from './reliability.ts'
import { smokeTasks } from './smoke.ts'
import type { Task } from './task.ts'

export const SUITE_IDS = ['smoke', 'reliability', 'reasoning', 'browser-execution'] as const
export type SuiteId = (typeof SUITE_IDS)[number]

/** One kind of task, as it is published. */
interface PublishedTask {
  kind: string
  count: number
  description: string
  checker: string
}

/** A suite as everybody may read it; the tasks of a run are drawn from it by a seed that stays secret. */
export interface Suite {
  id: SuiteId
  version: string
  title: string
  description: string
  /** Percent of the tasks that have to be passed. */
  passScore: number
  /** For one task, in seconds. */
  taskSeconds: number
  /** For the tasks of all participants, in seconds; then the run is TIMED_OUT. */
  runSeconds: number
  /** A certificate expires after so many days. */
  validDays: number
  tasks: PublishedTask[]
}

const FIELD = 'One field of the output equals the answer that the service computed'
const once = (kind: string, description: string, checker = FIELD): PublishedTask => ({
  kind,
  count: 1,
  description,
  checker,
})

export const SUITES: Readonly<Record<SuiteId, Suite>> = {
  smoke: {
    id: 'smoke',
    version: '1.0.0',
    title: 'Smoke',
    description: 'The endpoint answers three simple tasks in the form of the protocol.',
    passScore: 100,
    taskSeconds: 10,
    runSeconds: 300,
    validDays: 90,
    tasks: [
      once('echo', 'Return a nonce'),
      once('sum', 'Add five integers'),
      once('unicode', 'Return a text of several scripts unchanged'),
    ],
  },
  reliability: {
    id: 'reliability',
    version: '1.0.0',
    title: 'Reliability',
    description:
      'The endpoint answers messages that come at once, twice or large, and refuses those that are forged or late.',
    passScore: 90,
    taskSeconds: 10,
    runSeconds: 600,
    validDays: 90,
    tasks: [
      { ...once('echo', 'Return a nonce'), count: 5 },
      once('burst', 'Answer five messages that are sent at once'),
      once(
        'repeated',
        'Answer the same message twice',
        'Both answers are right: a repeated webhook-id is not refused',
      ),
      once('forged', 'Refuse a message that another secret signed', 'The answer is 401 or 403'),
      once('late', 'Refuse a message that was signed an hour ago', 'The answer is 400, 401 or 403'),
      once('large', 'Hash a text of 100,000 characters'),
    ],
  },
  reasoning: {
    id: 'reasoning',
    version: '1.0.0',
    title: 'Reasoning',
    description:
      'Ten questions in words, each with exactly one answer. Numbers, names and order differ in each run.',
    passScore: 80,
    taskSeconds: 60,
    runSeconds: 1800,
    validDays: 90,
    tasks: [
      { ...once('invoice', 'Compute an order with a discount, in cents'), count: 2 },
      { ...once('table', 'Filter and add rows of a CSV table'), count: 2 },
      once('program', 'Follow a loop with a modulus'),
      once('counting', 'Count integers by divisibility'),
      once('cipher', 'Decode a shifted text'),
      once('date', 'Count working days'),
      once('route', 'Find the shortest way between towns'),
      once('order', 'Put people in order from clues'),
    ],
  },
  'browser-execution': {
    id: 'browser-execution',
    version: '1.0.0',
    title: 'Browser execution',
    description: 'Pages of the service that need a browser: scripts, clicks, several pages, a form.',
    passScore: 75,
    taskSeconds: 60,
    runSeconds: 1800,
    validDays: 90,
    tasks: [
      once('script', 'Read a code that a script writes'),
      once('click', 'Press a button several times and read a number'),
      once('pages', 'Add prices over several pages'),
      once('form', 'Fill a form and read the code of the next page'),
    ],
  },
}

/** The tasks of one participant, in order. `urlOf` gives the address of the pages of a task. */
export function tasksOf(suite: SuiteId, seed: string, urlOf: (task: number) => string): Task[] {
  const random = new SeededRandom(`${seed}/${suite}`)
  switch (suite) {
    case 'smoke':
      return smokeTasks(random)
    case 'reliability':
      return reliabilityTasks(random)
    case 'reasoning':
      return reasoningTasks(random)
    case 'browser-execution':
      return browserTasks(seed, urlOf)
  }
}
