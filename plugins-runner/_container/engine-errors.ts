import type { EngineAddress } from "./engine-address.ts";

/** The engine did not answer: nobody knows whether it has done what it was asked. */
export class EngineUnreachable extends Error {
	override readonly name: string = "EngineUnreachable";
}

/** Engine and service do not trust each other's certificates, so that nothing was asked of it. */
export class EngineDistrust extends EngineUnreachable {
	override readonly name = "EngineDistrust";
}

/** The engine answered with an error. */
export class EngineRefusal extends Error {
	override readonly name = "EngineRefusal";
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

/** What node:tls says of certificates that are not as they must be. */
const wrongCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY_LEAF|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH/;
/** What a server says of those that it was shown, or not shown. */
const refusedCertificate = /^ERR_SSL_.*ALERT_.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)/;
const noTls = /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/;

/** Why a request had no answer. */
export function toUnreachable(
	cause: Error & { readonly code?: string; readonly reason?: string },
	address: EngineAddress,
): EngineUnreachable {
	const { code = "", message: whole } = cause;
	// Of what OpenSSL says the part that says something.
	const message = code.startsWith("ERR_TLS") ? whole : (cause.reason ?? whole);
	const tls = "tls" in address ? address.tls : undefined;
	if (tls === undefined) return new EngineUnreachable(`the container engine cannot be reached: ${message}`, { cause });
	const { host, port } = address as { readonly host: string; readonly port: number };
	const engine = `the container engine at ${host}:${port}`;
	if (refusedCertificate.test(code)) {
		const option = tls.cert === undefined ? 'option "tls.cert_file" names none' : 'of the option "tls.cert_file"';
		return new EngineDistrust(`${engine} refuses this service's certificate, ${option}: ${message}`, { cause });
	}
	if (noTls.test(code)) return new EngineDistrust(`${engine} does not speak TLS: ${message}`, { cause });
	if (wrongCertificate.test(code)) {
		return new EngineDistrust(`the certificate of ${engine} is not trusted by the option "tls.ca_file": ${message}`, { cause });
	}
	// Some servers close a connection whose certificate they do not take, and say nothing.
	const hint = code === "ECONNRESET" ? '; it may want another certificate of this service, the option "tls.cert_file"' : "";
	return new EngineUnreachable(`${engine} cannot be reached: ${message}${hint}`, { cause });
}
