import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { type ConnectionOptions, createSecureContext, type SecureContext } from "node:tls";
import type { OptionReader } from "../_options/option-reader.ts";
import type { ClientSettings } from "./client-options.ts";

export interface TlsSettings {
	readonly secureContext: SecureContext;
	/** True if a server with an invalid certificate or name is refused. */
	readonly isVerified: boolean;
}

/** Reads the certificates and creates the TLS context. */
export function readTlsSettings(reader: OptionReader, client: ClientSettings): TlsSettings {
	const ca = reader.converted("cacert", reader.text("cacert"), readCertificates);
	const certificate = reader.converted("client_options.24580", client.certificate, readCertificates);
	const key = reader.converted("client_options.24581", client.key, readText);
	const createContext = () =>
		createSecureContext({
			...(ca !== undefined && { ca }),
			...(certificate !== undefined && { cert: certificate }),
			...(key !== undefined && { key }),
			...(client.minimumVersion !== undefined && { minVersion: client.minimumVersion }),
		});
	const secureContext = reader.converted("client_options", true, createContext) ?? createSecureContext();
	return { secureContext, isVerified: ca !== undefined || client.verify === true };
}

/** Returns the TLS options for a connection to a host, including the expected name of the server. */
export function toTlsOptions(host: string, { secureContext, isVerified }: TlsSettings): ConnectionOptions {
	return {
		secureContext,
		rejectUnauthorized: isVerified,
		host,
		// `servername` must not be an IP address. Without it, the certificate is compared with `host`.
		...(isIP(host) === 0 && { servername: host }),
	};
}

/** Reads certificates. Throws if the file contains none, because Node.js would treat it as an empty list. */
function readCertificates(path: string): string {
	const text = readText(path);
	try {
		new X509Certificate(text);
	} catch {
		throw new Error(`file "${resolve(path)}" contains no PEM certificate`);
	}
	return text;
}

function readText(path: string): string {
	try {
		return readFileSync(resolve(path), "utf8");
	} catch (error) {
		const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
		throw new Error(`file "${resolve(path)}" cannot be read (${code})`);
	}
}
