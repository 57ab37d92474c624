import type { EngineAddress } from "./engine-address.ts";

/** The engine did not answer. It is unknown whether it has carried out the request. */
export class EngineUnreachable extends Error {
	override readonly name: string = "EngineUnreachable";
}

/** Engine and service do not trust each other's certificates. The engine did not receive the request. */
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

/** Codes that node:tls reports for an invalid or untrusted certificate of the engine. */
const wrongCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY_LEAF|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH/;
/** Codes of TLS alerts with which a server refuses the client's certificate, or its absence. */
const refusedCertificate = /^ERR_SSL_.*ALERT_.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)/;
const noTls = /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/;

/** Returns an error with the reason why a request has no response. */
export function toUnreachable(
	cause: Error & { readonly code?: string; readonly reason?: string },
	address: EngineAddress,
): EngineUnreachable {
	const { code = "", message: whole } = cause;
	// Use only the reason from the message of OpenSSL.
	const message = code.startsWith("ERR_TLS") ? whole : (cause.reason ?? whole);
	const tls = "tls" in address ? address.tls : undefined;
	if (tls === undefined) return new EngineUnreachable(`the container engine cannot be reached: ${message}`, { cause });
	const { host, port } = address as { readonly host: string; readonly port: number };
	const engine = `the container engine at ${host}:${port}`;
	if (refusedCertificate.test(code)) {
		const option = tls.cert === undefined ? 'the option "tls.cert_file" is not set' : 'of the option "tls.cert_file"';
		return new EngineDistrust(`${engine} refuses this service's certificate, ${option}: ${message}`, { cause });
	}
	if (noTls.test(code)) return new EngineDistrust(`${engine} does not speak TLS: ${message}`, { cause });
	if (wrongCertificate.test(code)) {
		return new EngineDistrust(`the certificate of ${engine} is not trusted by the option "tls.ca_file": ${message}`, { cause });
	}
	// Some servers close the connection without an alert if they refuse the certificate.
	const hint = code === "ECONNRESET" ? '; it may require a different client certificate, see the option "tls.cert_file"' : "";
	return new EngineUnreachable(`${engine} cannot be reached: ${message}${hint}`, { cause });
}
