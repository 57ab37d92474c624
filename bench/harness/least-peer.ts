import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChild } from "./child.ts";
import type { LoadedService } from "./execution-load.ts";
import { createHttpClient } from "./http-client.ts";

/** The least that a service could do for an execution, under the same load: what is between it and the goal cannot be won. */
export async function startLeastPeer(): Promise<LoadedService & { stop(): Promise<void> }> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const child = await startChild("least.mjs", { input: { directory, file: join(directory, "least.db") } });
	const { address } = child.facts as { readonly address: string };
	const client = createHttpClient(address);
	return {
		pid: child.pid,
		api: client,
		stream: client,
		async stop() {
			client.stop();
			await child.stop();
			await rm(directory, { recursive: true, force: true });
		},
	};
}
