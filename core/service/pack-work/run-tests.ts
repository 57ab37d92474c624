import { isSvcError, type PackTestResult, toErrorMessage } from "../../contract/index.ts";

/** One test that a pack brings. */
export interface PackTest {
	readonly kind: string;
	/** Path in the pack. */
	readonly file: string;
	readonly name: string;
	/** Why it is not run. */
	readonly skipped?: string;
	/** What differs from what is expected. */
	run(): Promise<readonly string[]>;
}

export interface RunTestsOptions {
	readonly only: string | undefined;
	readonly signal: AbortSignal;
}

/** Run tests one after the other. One that cannot be run has failed with why. */
export async function runTests(tests: readonly PackTest[], { only = "", signal }: RunTestsOptions): Promise<readonly PackTestResult[]> {
	const results: PackTestResult[] = [];
	for (const { kind, file, name, skipped, run } of tests) {
		signal.throwIfAborted();
		if (!name.includes(only) && !file.includes(only)) continue;
		const began = performance.now();
		const problems = skipped === undefined ? await run().catch(toProblems) : [];
		const milliseconds = Math.round(performance.now() - began);
		results.push({ kind, file, name, problems, ...(skipped !== undefined && { skipped }), milliseconds });
	}
	return results;
}

/** Tests that are read from a file; one that cannot be read has failed with why. */
export async function testsOf(kind: string, file: string, read: () => Promise<readonly PackTest[]>): Promise<readonly PackTest[]> {
	try {
		return await read();
	} catch (error) {
		const problems = toProblems(error);
		return [{ kind, file, name: "cases can be read", run: async () => problems }];
	}
}

function toProblems(error: unknown): readonly string[] {
	if (!isSvcError(error)) throw error;
	return [toErrorMessage(error)];
}
