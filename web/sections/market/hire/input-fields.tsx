import { NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { t } from '../../../texts/text.ts'
import type { Field } from '../json-schema.ts'
import type { HireDraft } from './draft.ts'

/** A form from the schema of an agent's input: one control for each field. */
export function InputFields({ fields, form }: { fields: Field[]; form: UseFormReturnType<HireDraft> }) {
  return fields.map(field => <InputField key={field.key} field={field} form={form} />)
}

function InputField({ field, form }: { field: Field; form: UseFormReturnType<HireDraft> }) {
  const { key, title, description, type, format, choices, isRequired, isLong, minimum, maximum } = field
  const shared = { label: title, description, required: isRequired }
  const path = `input.${key}`
  if (type === 'boolean')
    return (
      <Switch label={title} description={description} {...form.getInputProps(path, { type: 'checkbox' })} />
    )
  if (choices)
    return <Select {...shared} data={choices} clearable={!isRequired} {...form.getInputProps(path)} />
  if (type === 'number' || type === 'integer')
    return (
      <NumberInput
        {...shared}
        min={minimum}
        max={maximum}
        allowDecimal={type === 'number'}
        hideControls
        {...form.getInputProps(path)}
      />
    )
  if (type === 'array' || type === 'object') {
    const howToWrite = t(type === 'array' ? 'hire.onePerLine' : 'hire.asJson')
    return (
      <Textarea
        {...shared}
        description={[description, howToWrite].filter(Boolean).join(' ')}
        autosize
        minRows={2}
        {...form.getInputProps(path)}
      />
    )
  }
  if (format === 'uri')
    return <TextInput {...shared} type="url" placeholder="https://" {...form.getInputProps(path)} />
  if (format === 'date') return <TextInput {...shared} type="date" {...form.getInputProps(path)} />
  if (isLong) return <Textarea {...shared} autosize minRows={2} {...form.getInputProps(path)} />
  return <TextInput {...shared} {...form.getInputProps(path)} />
}
