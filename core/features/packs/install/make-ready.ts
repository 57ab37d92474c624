import type { Runner } from "../../../contract/index.ts";
import type { JobReport } from "./job-report.ts";

/** Have the runners make ready what a pack needs, on this node. Rejects with why one cannot. */
export async function makeReady(
	runners: ReadonlyMap<string, Runner>,
	pack: { readonly ref: string; readonly directory: string; readonly signal: AbortSignal },
	report: JobReport,
): Promise<void> {
	for (const runner of runners.values()) {
		await runner.prepare?.({
			pack: pack.ref,
			packDirectory: pack.directory,
			signal: pack.signal,
			emit: (type, text) => report.pass(type, text),
		});
		pack.signal.throwIfAborted();
	}
}
