/** Registers one test. */
export type RegisterTest = (name: string, run: () => Promise<void>) => void;

/** Those that know how long a test may take. */
export const timed = new WeakSet<RegisterTest>();

/** How one statement of a contract came out. */
export interface KitResult {
	/** The test's name: the statement, in one sentence. */
	readonly name: string;
	readonly milliseconds: number;
	/** Why it does not hold; undefined when it does. */
	readonly error: unknown;
}

/** How the cases of a conformance kit are run. */
export interface KitOptions {
	/** Milliseconds that one test may take. Default 30,000. */
	readonly timeout?: number;
	/** Whether to run the test; default all. */
	readonly only?: (name: string) => boolean;
	/** Called after each test. */
	readonly onResult?: (result: KitResult) => void;
}

/**
 * Run a conformance suite without a test runner, one test after the other in the order of their registration. A test that fails does
 * not end the others; one that takes too long is left behind, and counts as failed.
 *
 * @param register calls a suite with the test function that it is given
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
