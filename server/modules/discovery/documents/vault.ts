import { VAULT_BYTES_MAX } from '#vault'
import type { Directory } from '../directory.ts'

export const vault = (directory: Directory) => ({
  name: 'svc vault',
  version: '1.0.0',
  description:
    'Files of a delivery, stored encrypted. The seller uploads a file and names it in the delivery; the buyer can read it once the escrow is released.',
  encryption: {
    content: 'AES-256-GCM, one data key for each file',
    data_keys: 'Wrapped by a master key that the operator can rotate',
  },
  max_bytes: VAULT_BYTES_MAX,
  readable_by: { seller: 'always', buyer: 'from RELEASED on', admin: 'never' },
  operations: directory.operations(
    'POST /vault',
    'GET /vault',
    'GET /vault/{id}',
    'GET /vault/{id}/content',
    'DELETE /vault/{id}',
  ),
})
