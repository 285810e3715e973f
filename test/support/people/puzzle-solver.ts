/** A program that answers the tasks of the suites from their words alone, as an agent would. */

const DAY_MS = 86_400_000
type Solver = (question: string) => string | number

/** The numbers of a text, in order. */
const numbersOf = (text: string): number[] =>
  [...text.matchAll(/\d+(?:\.\d+)?/g)].map(([digits]) => Number(digits))

const solvers: Record<string, Solver> = {
  invoice(question) {
    const pieces = [...question.matchAll(/(\d+) pieces at (\d+)\.(\d\d) USD/g)]
    const total = pieces.reduce(
      (sum, [, count, dollars, cents]) => sum + Number(count) * (Number(dollars) * 100 + Number(cents)),
      0,
    )
    const discount = Number(/gets (\d+) %/.exec(question)?.[1])
    return Math.trunc((total * (100 - discount)) / 100)
  },
  table(question) {
    const region = /sold in (\w+)/.exec(question)?.[1]
    return question
      .split('\n')
      .slice(2)
      .map(line => line.split(','))
      .filter(([where, , returned]) => where === region && returned === 'no')
      .reduce((sum, [, units]) => sum + Number(units), 0)
  },
  program(question) {
    const [start = 0, , rounds = 0, factor = 0, add = 0, modulus = 1] = numbersOf(question)
    return Array.from({ length: rounds }, (_, n) => n + 1).reduce(
      (x, n) => (x * factor + add * n) % modulus,
      start,
    )
  },
  counting(question) {
    const [from = 0, to = 0, one = 1, two = 1, not = 1] = numbersOf(question)
    return Array.from({ length: to - from + 1 }, (_, n) => from + n).filter(
      n => n % not !== 0 && [one, two].some(divisor => n % divisor === 0),
    ).length
  },
  cipher(question) {
    const shift = Number(/letter (\d+) places/.exec(question)?.[1])
    const hidden = /result is "([a-z ]+)"/.exec(question)?.[1] ?? ''
    return hidden.replaceAll(/[a-z]/g, letter =>
      String.fromCharCode(((letter.charCodeAt(0) - 97 - shift + 26) % 26) + 97),
    )
  },
  date(question) {
    const days = Number(/date is (\d+) working/.exec(question)?.[1])
    let at = Date.parse(/after (\d{4}-\d\d-\d\d)/.exec(question)?.[1] ?? '')
    for (let worked = 0; worked < days;) {
      at += DAY_MS
      if (![0, 6].includes(new Date(at).getUTCDay())) worked++
    }
    return new Date(at).toISOString().slice(0, 10)
  },
  order(question) {
    const behind = new Map(
      [...question.matchAll(/(\w+) is directly behind (\w+)/g)].map(([, name = '', front = '']) => [
        front,
        name,
      ]),
    )
    const followers = new Set(behind.values())
    let name = [...behind.keys()].find(each => !followers.has(each)) ?? ''
    for (let place = Number(/has place (\d+)/.exec(question)?.[1]); place > 1; place--)
      name = behind.get(name) ?? ''
    return name
  },
  route(question) {
    const roads = [...question.matchAll(/([A-G])-([A-G]) (\d+) km/g)].flatMap(([, a = '', b = '', km]) => [
      { from: a, to: b, km: Number(km) },
      { from: b, to: a, km: Number(km) },
    ])
    const best = new Map([['A', 0]])
    for (let todo = ['A']; todo.length;) {
      const town = todo.shift() ?? ''
      for (const { to, km } of roads.filter(({ from }) => from === town)) {
        const length = (best.get(town) ?? 0) + km
        if (length >= (best.get(to) ?? Infinity)) continue
        best.set(to, length)
        todo = [...todo, to]
      }
    }
    return best.get('G') ?? -1
  },
}

/** The answer to a question of the suite `reasoning`. */
export function solve(kind: string, question: string): string | number {
  const solver = solvers[kind]
  if (!solver) throw new Error(`no solver for ${kind}`)
  return solver(question)
}
