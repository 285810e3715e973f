import { useRef, useState, type ChangeEvent, type FormEvent, type RefObject } from 'react'
import { messagesAt } from './field-errors.ts'

type Values = Readonly<Record<string, string>>
type Errors = Readonly<Record<string, string | undefined>>

export interface ApiForm<Fields extends Values> {
  values: Fields
  /** For the `form` element. */
  form: { ref: RefObject<HTMLFormElement | null>; onSubmit(event: FormEvent): void }
  /** For the input of one field. */
  field(name: keyof Fields & string): FieldProps
  focus(name: keyof Fields & string): void
  reset(): void
  isBusy: boolean
  /** What no field shows, for a `ProblemNotice`. */
  error: unknown
}

interface FieldProps {
  name: string
  value: string
  error: string | undefined
  onChange(event: ChangeEvent<HTMLInputElement>): void
}

/**
 * A form of text fields that is sent to the API. A refusal is shown at the field that it names, which gets the focus,
 * until that field changes; else in `error`. Forms with lists or checks of their own use `@mantine/form`, which is
 * larger than the rest of a page of this kind.
 */
export function useApiForm<Fields extends Values>(
  initial: Fields,
  send: (values: Fields) => Promise<unknown>,
): ApiForm<Fields> {
  const element = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState(initial)
  const [errors, setErrors] = useState<Errors>({})
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const inputOf = (name: string) => {
    const input = element.current?.elements.namedItem(name)
    return input instanceof HTMLInputElement ? input : undefined
  }
  const refuse = (problem: unknown) => {
    const found = messagesAt(problem, Object.keys(initial))
    const [first] = Object.keys(found)
    setErrors(found)
    if (first === undefined) setError(problem)
    else inputOf(first)?.focus()
  }
  const run = async () => {
    setBusy(true)
    setError(null)
    setErrors({})
    try {
      await send(values)
    } catch (problem) {
      refuse(problem)
    } finally {
      setBusy(false)
    }
  }
  return {
    values,
    form: {
      ref: element,
      onSubmit(event) {
        event.preventDefault()
        // A second press while the first is on its way does nothing.
        if (!isBusy) void run()
      },
    },
    field: name => ({
      name,
      value: values[name] ?? '',
      error: errors[name],
      onChange({ currentTarget: { value } }) {
        setValues(before => ({ ...before, [name]: value }))
        setErrors(before => ({ ...before, [name]: undefined }))
      },
    }),
    focus: name => inputOf(name)?.focus(),
    reset() {
      setValues(initial)
      setErrors({})
      setError(null)
    },
    isBusy,
    error,
  }
}
