import { isIPv6 } from "node:net";

/** Encryption of a connection. `ssl` is TLS from the first byte (LDAPS); `tls` is StartTLS, where the connection starts unencrypted. */
export type Encryption = "none" | "ssl" | "tls";

/** Address and encryption of a directory server. */
export interface Server {
	readonly host: string;
	readonly port: number;
	readonly encryption: Encryption;
}

/** Returns the server as a URL, for logs and comparisons. */
export function toUrl({ host, port, encryption }: Server): string {
	return `${encryption === "ssl" ? "ldaps" : "ldap"}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
