import { $api, refreshReads } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import type { AccountDetails } from '../../../api/schema.d.ts'
import { t } from '../../../texts/text.ts'
import { ActionButton, thenRefresh } from '../parts/action-button.tsx'

/** What an admin may do to an account. */
export function UserActions({ user }: { user: AccountDetails }) {
  const me = useMe()
  const suspend = $api.useMutation('post', '/admin/users/{id}/suspend')
  const reinstate = $api.useMutation('post', '/admin/users/{id}/reinstate')
  const params = { path: { id: user.id } }
  const refresh = () => refreshReads('/admin/')
  const name = user.displayName
  return (
    <>
      {user.status === 'SUSPENDED' ? (
        <ActionButton
          label={t('admin.reinstate')}
          title={t('admin.reinstate.title', { name })}
          reason="optional"
          done={t('admin.reinstate.done')}
          onConfirm={reason =>
            reinstate.mutateAsync({ params, body: reason ? { reason } : {} }).then(refresh)
          }
        />
      ) : (
        <ActionButton
          label={t('admin.suspend')}
          title={t('admin.suspend.title', { name })}
          text={t('admin.suspend.text')}
          reason="required"
          color="red"
          done={t('admin.suspend.done')}
          undo={() => reinstate.mutateAsync({ params, body: {} }).then(refresh)}
          onConfirm={reason => suspend.mutateAsync({ params, body: { reason } }).then(refresh)}
        />
      )}
      {me?.id !== user.id && user.userType === 'HUMAN' && <RoleAction user={user} />}
      {user.mfaEnabled && <MfaAction user={user} />}
    </>
  )
}

function RoleAction({ user: { id, role, displayName: name } }: { user: AccountDetails }) {
  const setRole = $api.useMutation('post', '/admin/users/{id}/role')
  const isAdmin = role === 'ADMIN'
  return (
    <ActionButton
      label={t(isAdmin ? 'admin.demote' : 'admin.promote')}
      title={t(isAdmin ? 'admin.demote.title' : 'admin.promote.title', { name })}
      text={t(isAdmin ? 'admin.demote.text' : 'admin.promote.text')}
      done={t('admin.role.done')}
      onConfirm={() =>
        thenRefresh(
          setRole.mutateAsync({ params: { path: { id } }, body: { role: isAdmin ? 'USER' : 'ADMIN' } }),
        )
      }
    />
  )
}

function MfaAction({ user: { id, displayName: name } }: { user: AccountDetails }) {
  const reset = $api.useMutation('post', '/admin/users/{id}/reset-mfa')
  return (
    <ActionButton
      label={t('admin.resetMfa')}
      title={t('admin.resetMfa.title', { name })}
      text={t('admin.resetMfa.text')}
      color="red"
      done={t('admin.resetMfa.done')}
      onConfirm={() => reset.mutateAsync({ params: { path: { id } } }).then(() => refreshReads('/admin/'))}
    />
  )
}
