import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuthBackend, Logger } from "../../core/contract/index.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { flatFile } from "./index.ts";

export interface Opened {
	readonly backend: AuthBackend;
	readonly directory: string;
	readonly file: string;
	readonly warnings: Readonly<Record<string, unknown>>[];
	signIn(username: string, password: string): Promise<string | undefined>;
	close(): Promise<void>;
}

export async function open(text?: string): Promise<Opened> {
	const directory = await mkdtemp(join(tmpdir(), "svc-flat-file-"));
	const file = join(directory, "htpasswd");
	if (text !== undefined) await writeFile(file, text);
	const warnings: Opened["warnings"] = [];
	const ignore = () => undefined;
	const logger: Logger = { debug: ignore, info: ignore, error: ignore, warn: (_, fields = {}) => void warnings.push(fields) };
	const backend = flatFile().create();
	await backend.start?.({ logger, clock: { now: () => 0 }, dataDirectory: directory, nodeId: "test", options: createOptions() });
	return {
		backend,
		directory,
		file,
		warnings,
		signIn: async (username, password) =>
			(await backend.authenticate({ username, password }, { signal: new AbortController().signal }))?.username,
		close: async () => {
			await backend.stop?.();
			await rm(directory, { recursive: true });
		},
	};
}

export async function withFile(text: string | undefined, use: (opened: Opened) => Promise<void>): Promise<void> {
	const opened = await open(text);
	try {
		await use(opened);
	} finally {
		await opened.close();
	}
}
