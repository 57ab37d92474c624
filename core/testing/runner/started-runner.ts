import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OptionsInput, ParameterSchema, Runner } from "../../contract/index.ts";
import { createOptions } from "../options.ts";
import { silentLogger } from "../run-context.ts";

/** Node id of the runners that a test file starts: what runners of one node share can be kept open from test to test. */
export const testNode = `test-${process.pid}`;

/** Start a runner as the host would, use it, and stop it again. */
export async function withRunner<S extends ParameterSchema>(
	runner: Runner<S>,
	use: (runner: Runner<S>) => Promise<void>,
	{ nodeId = testNode, options }: { readonly nodeId?: string; readonly options?: OptionsInput } = {},
): Promise<void> {
	const dataDirectory = await mkdtemp(join(tmpdir(), "svc-runner-"));
	try {
		await runner.start?.({
			logger: silentLogger,
			clock: { now: () => Date.now() * 1000 },
			dataDirectory,
			nodeId,
			options: createOptions(options),
		});
		await use(runner);
	} finally {
		await runner.stop?.();
		await rm(dataDirectory, { recursive: true, force: true });
	}
}
