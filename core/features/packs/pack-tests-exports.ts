import { isSvcError, type PackTestResult, toErrorMessage } from "../../contract/index.ts";

/** A test that a pack contains. */
export interface PackTest {
	readonly kind: string;
	/** Path in the pack. */
	readonly file: string;
	readonly name: string;
	/** Reason why the test is not run. */
	readonly skipped?: string;
	/** Runs the test. Resolves with the differences from the expected result. */
	run(): Promise<readonly string[]>;
}

/** Options for running tests of packs. */
export interface RunTestsOptions {
	readonly only: string | undefined;
	readonly signal: AbortSignal;
}

/** Runs tests one after the other. A test that cannot be run fails with the reason. */
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

/** Returns the tests in a file. If the file cannot be read, returns one test that fails with the reason. */
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
