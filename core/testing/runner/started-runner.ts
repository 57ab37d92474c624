import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ParameterSchema, Runner } from "../../contract/index.ts";
import { silentLogger } from "../run-context.ts";

let lastNode = 0;

/** Start a runner as the host would, on a node of its own, use it, and stop it again. */
export async function withRunner<S extends ParameterSchema>(runner: Runner<S>, use: (runner: Runner<S>) => Promise<void>): Promise<void> {
	const dataDirectory = await mkdtemp(join(tmpdir(), "svc-runner-"));
	try {
		await runner.start?.({
			logger: silentLogger,
			clock: { now: () => Date.now() * 1000 },
			dataDirectory,
			nodeId: `test-${process.pid}-${++lastNode}`,
		});
		await use(runner);
	} finally {
		await runner.stop?.();
		await rm(dataDirectory, { recursive: true, force: true });
	}
}
