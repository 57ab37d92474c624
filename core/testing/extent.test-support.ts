/** How much of the tests runs: the short suite of `npm test`, or all of them (`npm test -- --full`, and wherever `CI` is `true`). */
export type Extent = "short" | "full";

/** The variable by which the test command tells its files; a file that is run alone is run as the short suite runs it. */
export const extentVariable = "SVC_TEST_EXTENT";

export function chosenExtent(environment: NodeJS.ProcessEnv = process.env): Extent {
	const value = environment[extentVariable] ?? (environment["CI"] === "true" ? "full" : "short");
	if (value !== "short" && value !== "full") throw new Error(`${extentVariable} is "${value}"; allowed are short and full`);
	return value;
}

/** What registers a test: `test` of uvu, or something that does so in some cases. */
export type Register = (name: string, body: () => Promise<void> | void) => void;

/** Registers tests of a file that only the full suite runs: those that take long and go the same way as a test that both suites run. */
export function inFull(test: Register): Register {
	return chosenExtent() === "full" ? test : () => undefined;
}

/**
 * How often a test does something at random: a sample in the short suite, more of it in the full one, and as often as `variable` says
 * where it is set.
 */
export function rounds(counts: Readonly<Record<Extent, number>>, variable = "KILL_ROUNDS"): number {
	const given = process.env[variable];
	return given === undefined ? counts[chosenExtent()] : Number(given);
}

const dayInMs = 86_400_000;

/** One of every `step` entries in the short suite, other ones each day; all of them in the full suite. */
export function sample<T>(entries: readonly T[], step: number): readonly T[] {
	if (chosenExtent() === "full") return entries;
	const first = Math.floor(Date.now() / dayInMs) % step;
	return entries.filter((_entry, index) => index % step === first);
}
