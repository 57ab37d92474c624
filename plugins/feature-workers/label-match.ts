/** Returns true if the worker has all labels and the runner that the job needs. */
export function fits(
	worker: { readonly labels: readonly string[]; readonly runners: readonly string[] },
	needed: { readonly labels: readonly string[]; readonly runner: string },
): boolean {
	return worker.runners.includes(needed.runner) && needed.labels.every((one) => worker.labels.includes(one));
}
