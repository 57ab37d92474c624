import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { createSecureContext, type Server as TlsServer } from "node:tls";
import { type Logger, SvcError, toErrorMessage } from "../contract/index.ts";

/** Milliseconds between two checks of the files for changes. */
const pollIntervalMs = 1_000;

/** Certificate files of a listener, from its options. */
export interface CertificateFiles {
	/** Section of the options, for error messages. */
	readonly section: string;
	readonly cert: string;
	readonly key: string;
}

/** Reads certificate and key as text. Throws `SVC_CONFIG` naming the option if a file is missing or unreadable, or if they do not match. */
export async function readCertificate({ section, cert, key }: CertificateFiles): Promise<{ cert: string; key: string }> {
	const certificate = { cert: await readPem(`${section}.cert`, cert), key: await readPem(`${section}.key`, key) };
	try {
		createSecureContext(certificate);
	} catch (error) {
		throw new SvcError(
			"SVC_CONFIG",
			`${section}.cert, ${section}.key: "${cert}" and "${key}" are not a certificate and its key: ${toErrorMessage(error)}`,
			{
				cause: error,
			},
		);
	}
	return certificate;
}

/** Watches the certificate files. Switches the server to a renewed certificate without a restart; open connections keep the old one. */
export function watchCertificate(files: CertificateFiles, server: object, logger: Logger): { stop(): void } {
	const renew = () => {
		readCertificate(files).then(
			(certificate) => {
				(server as TlsServer).setSecureContext(certificate);
				logger.info("certificate reloaded", { file: files.cert });
			},
			// A renewal writes two files. In between they do not match, and the old certificate stays in use.
			(error: unknown) => logger.warn("loading the changed certificate failed", { problem: toErrorMessage(error) }),
		);
	};
	const paths = [files.cert, files.key];
	for (const path of paths) watchFile(path, { interval: pollIntervalMs, persistent: false }, renew);
	return {
		stop() {
			for (const path of paths) unwatchFile(path, renew);
		},
	};
}

async function readPem(option: string, path: string): Promise<string> {
	if (path === "") throw new SvcError("SVC_CONFIG", `${option}: must name a file, because use_ssl is true`);
	try {
		return await readFile(path, "utf8");
	} catch (error) {
		throw new SvcError("SVC_CONFIG", `${option}: "${path}" cannot be read: ${toErrorMessage(error)}`, { cause: error });
	}
}
