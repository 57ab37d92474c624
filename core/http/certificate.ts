import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { createSecureContext, type Server as TlsServer } from "node:tls";
import { type Logger, SvcError, toErrorMessage } from "../contract/index.ts";

/** Milliseconds between looks at the files. */
const watchInterval = 1_000;

/** Options of one listener that say where its certificate is. */
export interface CertificateFiles {
	/** Section of the options, for messages. */
	readonly section: string;
	readonly cert: string;
	readonly key: string;
}

/** Certificate and key as text. `SVC_CONFIG` names the option when a file is missing, unreadable or does not fit. */
export async function readCertificate({ section, cert, key }: CertificateFiles): Promise<{ cert: string; key: string }> {
	const read = { cert: await readPem(`${section}.cert`, cert), key: await readPem(`${section}.key`, key) };
	try {
		createSecureContext(read);
	} catch (error) {
		throw new SvcError(
			"SVC_CONFIG",
			`${section}.cert, ${section}.key: "${cert}" and "${key}" are no certificate and its key: ${toErrorMessage(error)}`,
			{
				cause: error,
			},
		);
	}
	return read;
}

/** Take up a renewed certificate without a restart; connections that are open keep the old one. */
export function watchCertificate(files: CertificateFiles, server: object, logger: Logger): { stop(): void } {
	const renew = () => {
		readCertificate(files).then(
			(certificate) => {
				(server as TlsServer).setSecureContext(certificate);
				logger.info("certificate renewed", { file: files.cert });
			},
			// Between the two writes of a renewal they do not fit: the old one stays in use until they do.
			(error: unknown) => logger.warn("changed certificate was not taken up", { problem: toErrorMessage(error) }),
		);
	};
	const paths = [files.cert, files.key];
	for (const path of paths) watchFile(path, { interval: watchInterval, persistent: false }, renew);
	return {
		stop() {
			for (const path of paths) unwatchFile(path, renew);
		},
	};
}

async function readPem(option: string, path: string): Promise<string> {
	if (path === "") throw new SvcError("SVC_CONFIG", `${option}: must name a file, as use_ssl is true`);
	try {
		return await readFile(path, "utf8");
	} catch (error) {
		throw new SvcError("SVC_CONFIG", `${option}: "${path}" cannot be read: ${toErrorMessage(error)}`, { cause: error });
	}
}
