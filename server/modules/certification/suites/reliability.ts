import { createHash } from 'node:crypto'
import type { SeededRandom } from './random.ts'
import { echo } from './smoke.ts'
import { hasField, type Task } from './task.ts'

const LARGE_BYTES = 100_000

function large(random: SeededRandom): Task {
  const text = random.hex(64).repeat(LARGE_BYTES / 64)
  return {
    kind: 'large',
    instructions:
      'Return the SHA-256 of the text (UTF-8), in hexadecimal digits, in the field "sha256" of the output.',
    input: { text },
    check: hasField('sha256', createHash('sha256').update(text).digest('hex')),
  }
}

/** Messages that come at once, twice, forged, late or large, between ordinary ones. */
export function reliabilityTasks(random: SeededRandom): Task[] {
  const about = (kind: string, exchange: Task['exchange']): Task => ({ ...echo(random, exchange), kind })
  return [
    ...Array.from({ length: 5 }, () => echo(random)),
    about('burst', 'burst'),
    about('repeated', 'twice'),
    about('forged', 'forged'),
    about('late', 'late'),
    large(random),
  ]
}
