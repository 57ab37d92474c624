import { isIPv6 } from "node:net";

/** `ssl` is TLS from the first byte (LDAPS), `tls` is StartTLS: the connection begins in the clear. The specification's words. */
export type Encryption = "none" | "ssl" | "tls";

/** Where to ask, and how. */
export interface Server {
	readonly host: string;
	readonly port: number;
	readonly encryption: Encryption;
}

/** For logs and comparisons. */
export function toUrl({ host, port, encryption }: Server): string {
	return `${encryption === "ssl" ? "ldaps" : "ldap"}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
