import { median } from "../harness/statistics.ts";

/** What a turn of load measured. */
export interface Turn {
	/** Operations a second. */
	readonly rate: number;
	/** Milliseconds of processor time that the service used for an operation. */
	readonly processorTime: number;
}

/** One turn of each service, straight after one another. */
export interface Round {
	readonly base: Turn;
	/** A second instance of the base. */
	readonly control: Turn;
	readonly candidate: Turn;
}

export type Verdict = "slower" | "faster" | "no difference";

export interface Comparison {
	/** Candidate ÷ base. */
	readonly ratio: number;
	/** Control ÷ base, which is 1 but for chance. */
	readonly control: number;
	/** How far chance moves a ratio: 0.01 is 1 %. A ratio counts if it is more than twice as far from 1. */
	readonly spread: number;
	readonly verdict: Verdict;
}

export type Figure = keyof Turn;

/** The rounds of one start of the services. Two processes of one build differ, so a comparison needs several starts. */
export type Start = readonly Round[];

/**
 * Compares one figure. Ratios are formed within each round, so that a machine that slows down for longer than a round does not change them.
 * The two instances of the base count as one, by their geometric mean. Each start counts once, by the middle of its rounds.
 */
export function compareStarts(starts: readonly Start[], figure: Figure): Comparison {
	const differences = starts.map((rounds) =>
		middle(rounds.map(({ base, control, candidate }) => Math.log(candidate[figure] / Math.sqrt(base[figure] * control[figure])))),
	);
	const controls = toControls(starts, figure);
	const [difference, control] = [middle(differences), middle(controls)];
	const spread = Math.max(Math.abs(control), spreadOfMiddle(controls), exactSpread);
	return { ratio: Math.exp(difference), control: Math.exp(control), spread, verdict: toVerdict(difference, { spread, figure }) };
}

/** Logarithms of control ÷ base of each start. */
function toControls(starts: readonly Start[], figure: Figure): readonly number[] {
	return starts.map((rounds) => middle(rounds.map(({ base, control }) => Math.log(control[figure] / base[figure]))));
}

/**
 * The spread at which a comparison is exact enough: it finds nearly every difference of 3 %. A few starts can agree by chance, so no
 * comparison counts as more exact, and no difference below 1.6 % counts.
 */
const exactSpread = 0.008;
const leastStarts = 8;
/** Starts after which a comparison ends although it is less exact: half an hour or more with three builds. */
const mostStarts = 48;

/**
 * Returns true if the processor time, which is the steadier figure, shows a difference of 3 %. `least` is the number of rounds that are
 * always made. A control that differs by chance asks for more starts, because the threshold grows with it and would hide 3 %.
 */
export function isExactEnough(starts: readonly Start[], least: number): boolean {
	if (starts.length < leastStarts || starts.flat().length < least) return false;
	const controls = toControls(starts, "processorTime");
	return starts.length >= mostStarts || Math.max(Math.abs(middle(controls)), spreadOfMiddle(controls)) <= exactSpread;
}

/** A slower build does fewer operations a second, or takes more processor time for each. */
function toVerdict(difference: number, { spread, figure }: { readonly spread: number; readonly figure: Figure }): Verdict {
	if (Math.abs(difference) <= 2 * spread) return "no difference";
	return difference > 0 === (figure === "processorTime") ? "slower" : "faster";
}

/**
 * The median of the means of all pairs of values, each with itself too (Hodges and Lehmann). Single outliers move it as little
 * as a median, and for values without outliers it is as exact as their mean.
 */
export function middle(values: readonly number[]): number {
	const means = values.flatMap((one, index) => values.slice(index).map((other) => (one + other) / 2));
	return median(means);
}

/** One and a half standard errors of the mean. */
export function spreadOfMiddle(values: readonly number[]): number {
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
	return 1.5 * Math.sqrt(variance / values.length);
}

/**
 * Order of the services in a round: each is first, second and last equally often, and each order is followed by its reverse, so
 * that neither a drift nor what the turn before leaves behind favours one.
 */
export function orderOfRound<T>(services: readonly T[], round: number): readonly T[] {
	const shift = Math.floor(round / 2) % services.length;
	const order = [...services.slice(shift), ...services.slice(0, shift)];
	return round % 2 === 0 ? order : order.reverse();
}
