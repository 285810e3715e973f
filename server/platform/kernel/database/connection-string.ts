/** Scheme and user, hosts with ports, the rest. */
const PARTS = /^(\w+:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/s

/** One URL for each server of a connection string that may name several: `postgres://user@a:5432,b:5432/svc`. */
export function urlsOf(connectionString: string): string[] {
  const [, before, hosts, rest] = PARTS.exec(connectionString) ?? []
  return hosts?.includes(',') ? hosts.split(',').map(host => before + host.trim() + rest) : [connectionString]
}
