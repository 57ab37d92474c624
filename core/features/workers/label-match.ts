/** Whether a worker may take what needs this. */
export function fits(
	worker: { readonly labels: readonly string[]; readonly runners: readonly string[] },
	needed: { readonly labels: readonly string[]; readonly runner: string },
): boolean {
	return worker.runners.includes(needed.runner) && needed.labels.every((one) => worker.labels.includes(one));
}
