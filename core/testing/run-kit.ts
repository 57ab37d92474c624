/** Registers one test. */
export type RegisterTest = (name: string, run: () => Promise<void>) => void;

/** Test functions that limit the duration of a test themselves. */
export const timed = new WeakSet<RegisterTest>();

/** Result of checking one statement of a contract. */
export interface KitResult {
	/** Name of the test: the statement, in one sentence. */
	readonly name: string;
	readonly milliseconds: number;
	/** Reason why the statement does not hold; undefined if it does. */
	readonly error: unknown;
}

/** Options for running a conformance kit. */
export interface KitOptions {
	/** Maximum milliseconds of one test. Default 30,000. */
	readonly timeout?: number;
	/** Returns true if the test must run. Default: all tests run. */
	readonly only?: (name: string) => boolean;
	/** Called after each test. */
	readonly onResult?: (result: KitResult) => void;
}

/**
 * Runs a conformance suite without a test runner, one test at a time in the order of registration. A failed test does not stop the others.
 * A test that exceeds the timeout counts as failed and is no longer awaited.
 *
 * @param register calls a suite with the given test function
 */
export async function runKit(register: (test: RegisterTest) => void, options: KitOptions = {}): Promise<readonly KitResult[]> {
	const { timeout = 30_000, only = () => true, onResult = () => {} } = options;
	const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
	const test: RegisterTest = (name, run) => void (only(name) && tests.push({ name, run }));
	timed.add(test);
	register(test);
	const results: KitResult[] = [];
	for (const { name, run } of tests) {
		const began = performance.now();
		const error = await within(timeout, run).then(
			() => undefined,
			(reason: unknown) => reason ?? new Error("rejected without a reason"),
		);
		const result = { name, milliseconds: performance.now() - began, error };
		results.push(result);
		onResult(result);
	}
	return results;
}

async function within(timeout: number, run: () => Promise<void>): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(`it had not ended after ${timeout} ms`)), timeout);
	});
	try {
		await Promise.race([run(), late]);
	} finally {
		clearTimeout(timer);
	}
}
