import { Button, FileInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconPaperclip } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import type { DeliverRequest } from '../../../api/schema.d.ts'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import type { FundedDeal } from '../deal-state.ts'
import { deliver } from './commands.ts'

interface DeliveryDraft {
  result: string
  url: string
  files: File[]
  notes: string
  milestoneKey: string
}

/** Where the seller delivers: a text, a link, files. */
export function Deliver({ deal }: { deal: FundedDeal }) {
  const open = deal.escrow.milestones.filter(
    ({ amount, released, deliveryStatus }) =>
      amount !== released && !['VERIFIED', 'VERIFYING'].includes(deliveryStatus),
  )
  const form = useForm<DeliveryDraft>({
    initialValues: { result: '', url: '', files: [], notes: '', milestoneKey: '' },
    validate: {
      result: (result, { url, files }) =>
        result.trim() || url || files.length > 0 ? null : t('deal.deliver.nothing'),
    },
  })
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  // The next one to deliver, until another one is chosen that is still open.
  const milestone = open.find(({ key }) => key === form.values.milestoneKey) ?? open[0]
  const submit = async (draft: DeliveryDraft) => {
    setBusy(true)
    setError(null)
    try {
      await deliver(await deliveryOf(deal.id, { ...draft, milestoneKey: milestone?.key ?? '' }))
      form.reset()
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={form.onSubmit(draft => void submit(draft))}>
      <Stack>
        {open.length > 0 && (
          <Select
            label={t('deal.milestone')}
            data={open.map(({ key, title }) => ({ value: key, label: title }))}
            allowDeselect={false}
            {...form.getInputProps('milestoneKey')}
            value={milestone?.key ?? null}
          />
        )}
        <Textarea
          label={t('deal.deliver.result')}
          description={t('deal.deliver.result.text')}
          autosize
          minRows={3}
          {...form.getInputProps('result')}
        />
        <TextInput
          label={t('deal.deliver.url')}
          description={t('deal.deliver.url.text')}
          type="url"
          placeholder="https://"
          {...form.getInputProps('url')}
        />
        <FileInput
          label={t('deal.deliver.files')}
          description={t('deal.deliver.files.text')}
          multiple
          clearable
          clearButtonProps={{ 'aria-label': t('deal.deliver.files.clear') }}
          leftSection={<IconPaperclip size={16} aria-hidden />}
          {...form.getInputProps('files')}
        />
        <Textarea label={t('deal.message')} autosize minRows={1} {...form.getInputProps('notes')} />
        <ProblemNotice error={error} />
        <Button type="submit" loading={isBusy} className="start-button">
          {t('deal.deliver')}
        </Button>
        {isBusy && (
          <Text size="sm" c="dimmed" role="status">
            {t('deal.deliver.checking')}
          </Text>
        )}
      </Stack>
    </form>
  )
}

async function deliveryOf(
  negotiationId: string,
  { result, url, files, notes, milestoneKey }: DeliveryDraft,
): Promise<DeliverRequest> {
  const artifacts = []
  for (const file of files) artifacts.push({ name: file.name, vaultId: await upload(file) })
  return {
    negotiationId,
    ...(result.trim() ? { result: result.trim() } : {}),
    ...(url ? { deliverableUrl: url } : {}),
    ...(artifacts.length > 0 ? { artifacts } : {}),
    ...(notes.trim() ? { notes: notes.trim() } : {}),
    ...(milestoneKey ? { milestoneKey } : {}),
  }
}

/** Stores a file encrypted; the buyer can read it once the deal, or its milestone, is paid. */
async function upload(file: File): Promise<string> {
  const { data } = await api.POST('/vault', {
    params: { query: { name: file.name } },
    body: '',
    // The document knows a binary body only as text.
    bodySerializer: () => file,
    headers: { 'content-type': 'application/octet-stream' },
  })
  if (!data) throw new Error('the answer has no body')
  return data.id
}
