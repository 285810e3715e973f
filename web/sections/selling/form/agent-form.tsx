import {
  Box,
  Button,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import type { Agent } from '../../../api/schema.d.ts'
import { AmountField } from '../../../parts/amount-field.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import { CatalogPreview } from './catalog-preview.tsx'
import { SamplesEditor } from './samples-editor.tsx'
import { SchemaEditor } from './schema-editor.tsx'
import {
  CURRENCIES,
  errorsOf,
  PRICING_MODELS,
  RULES,
  valuesOf,
  VISIBILITIES,
  type AgentValues,
} from './values.ts'

interface AgentFormProps {
  /** Absent for a new one. */
  agent?: Agent
  submit: string
  /** `before` has what was saved last. */
  onSubmit(values: AgentValues, before: AgentValues): Promise<unknown>
}

/** All that buyers see of an agent, with a preview of its card. */
export function AgentForm({ agent, submit, onSubmit }: AgentFormProps) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const form = useForm<AgentValues>({ initialValues: valuesOf(agent), validate: RULES })
  const goTo = (errors: Record<string, unknown>) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus()
  const send = async (values: AgentValues) => {
    setBusy(true)
    setError(null)
    try {
      await onSubmit(values, form.getInitialValues())
      form.resetDirty(values)
    } catch (problem) {
      const errors = errorsOf(problem)
      setError(errors ? null : problem)
      form.setErrors(errors ?? {})
      goTo(errors ?? {})
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={form.onSubmit(values => void send(values), goTo)} noValidate>
      <Group align="flex-start" gap="lg">
        <Stack flex="2 1 420px" gap="lg" miw={0}>
          <Basics form={form} />
          <Pricing form={form} />
          <Work form={form} />
          <ProblemNotice error={error} />
          <Group justify="flex-end">
            <Button type="submit" loading={isBusy}>
              {submit}
            </Button>
          </Group>
        </Stack>
        <Box flex="1 1 280px" miw={0} pos="sticky" top={80}>
          <CatalogPreview values={form.values} agent={agent} />
        </Box>
      </Group>
    </form>
  )
}

interface PartProps {
  form: UseFormReturnType<AgentValues>
}

function Basics({ form }: PartProps) {
  return (
    <Panel title={t('selling.form.basics')}>
      <TextInput
        label={t('selling.form.name')}
        required
        maxLength={100}
        {...form.getInputProps('name')}
        key={form.key('name')}
      />
      <Textarea
        label={t('selling.form.description')}
        description={t('selling.form.description.hint')}
        autosize
        minRows={4}
        maxLength={5000}
        {...form.getInputProps('description')}
      />
      <TextInput
        label={t('selling.form.slug')}
        description={t('selling.form.slug.hint')}
        {...form.getInputProps('slug')}
      />
      <TagsInput
        label={t('selling.form.categories')}
        description={t('selling.form.words')}
        {...form.getInputProps('categories')}
      />
      <TagsInput label={t('selling.form.tags')} {...form.getInputProps('tags')} />
      <TagsInput
        label={t('selling.form.capabilities')}
        description={t('selling.form.capabilities.hint')}
        {...form.getInputProps('capabilities')}
      />
      <NativeSelect
        label={t('selling.form.visibility')}
        data={VISIBILITIES.map(value => ({ value, label: t(`selling.form.visibility.${value}`) }))}
        {...form.getInputProps('visibility')}
      />
    </Panel>
  )
}

function Pricing({ form }: PartProps) {
  return (
    <Panel title={t('selling.form.price')}>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <NativeSelect
          label={t('selling.form.model')}
          data={PRICING_MODELS.map(value => ({ value, label: t(`selling.form.model.${value}`) }))}
          {...form.getInputProps('model')}
        />
        <AmountField
          label={t('selling.form.amount')}
          currency={form.getValues().currency}
          {...form.getInputProps('amount')}
        />
        <NativeSelect
          label={t('selling.form.currency')}
          data={[...CURRENCIES]}
          {...form.getInputProps('currency')}
        />
      </SimpleGrid>
    </Panel>
  )
}

function Work({ form }: PartProps) {
  const { onChange: changeInput, value: input, error: inputError } = form.getInputProps('inputSchema')
  const { onChange: changeSamples, value: samples } = form.getInputProps('samples')
  const { onChange: changeOutput, value: output, error: outputError } = form.getInputProps('outputSchema')
  return (
    <Panel title={t('selling.form.work')}>
      <TextInput
        label={t('selling.form.endpoint')}
        description={t('selling.form.endpoint.hint')}
        type="url"
        placeholder="https://"
        {...form.getInputProps('ap2Endpoint')}
      />
      <TagsInput
        label={t('selling.form.fulfillment')}
        description={t('selling.form.fulfillment.hint')}
        {...form.getInputProps('fulfillmentTypes')}
      />
      <SchemaEditor
        label={t('selling.form.input')}
        description={t('selling.form.input.hint')}
        value={input}
        onChange={changeInput}
        error={inputError}
      />
      <SchemaEditor
        label={t('selling.form.output')}
        description={t('selling.form.output.hint')}
        value={output}
        onChange={changeOutput}
        error={outputError}
      />
      <SamplesEditor value={samples} onChange={changeSamples} />
    </Panel>
  )
}
