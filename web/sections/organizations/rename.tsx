import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, refreshReads } from '../../api/client.ts'
import type { Organization } from '../../api/schema.d.ts'
import { offerUndo } from '../../app/undo.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { t } from '../../texts/text.ts'

/** Changes the name of an organization; its short name stays. */
export function RenameOrganization({ organization: { slug, name } }: { organization: Organization }) {
  const [draft, setDraft] = useState<string | null>(null)
  const set = async (next: string) => {
    await api.PATCH('/organizations/{slug}', { params: { path: { slug } }, body: { name: next } })
    await refreshReads('/organizations')
  }
  return (
    <>
      <Button variant="default" onClick={() => setDraft(name)}>
        {t('organizations.rename')}
      </Button>
      <FormDialog
        title={t('organizations.renameTitle', { name })}
        confirm={t('organizations.rename')}
        opened={draft !== null}
        onClose={() => setDraft(null)}
        onConfirm={async () => {
          await set(draft ?? name)
          offerUndo(t('organizations.renamed'), () => set(name))
        }}
      >
        <TextInput
          label={t('field.name')}
          value={draft ?? ''}
          maxLength={100}
          onChange={event => setDraft(event.currentTarget.value)}
          required
          data-autofocus
        />
      </FormDialog>
    </>
  )
}
