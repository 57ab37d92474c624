import type { Runner } from "../../../core/contract/index.ts";
import type { JobReport } from "./job-report.ts";

/** Prepares the environments that a pack needs on this node, with every runner. Rejects with the reason if a runner fails. */
export async function prepareEnvironments(
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
